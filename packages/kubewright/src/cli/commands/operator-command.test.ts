import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OperatorError, type OperatorCommand } from '@kubewright/operators';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runLine } from '../testing/run-line.ts';
import { operatorCommand } from './operator-command.ts';

const folder = mkdtempSync(join(tmpdir(), 'kubewright-export-'));
const index = (format: string): void =>
  writeFileSync(join(folder, 'checkpoint.json'), JSON.stringify({ format, checkpoint: 'any', files: [] }));

beforeAll(() => index('kubewright-export/1'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('an export in a folder, without a kubeconfig', () => {
  test('is verified and shown', async () => {
    expect(await runLine(['capture', 'verify', folder])).toMatchObject({
      code: 0,
      out: expect.stringContaining(`0 objects of ${folder} are as they were captured, sha256 `),
      err: '',
    });
    expect(await runLine(['capture', 'show', folder, '-o', 'json'])).toMatchObject({ code: 0, out: '[]\n' });
  });

  test('that is none is an error', async () => {
    index('other');
    expect(await runLine(['capture', 'verify', folder])).toMatchObject({
      code: 1,
      err: expect.stringContaining('is not the index of an export'),
    });
    index('kubewright-export/1');
  });
});

describe('exit codes of a command that compares', () => {
  test('errors, of usage too, exit with more than 1', async () => {
    expect(await runLine(['capture', 'diff', folder])).toMatchObject({ code: 2 });
    expect(await runLine('capture diff')).toMatchObject({ code: 2 });
    expect(await runLine('capture diff --nonsense')).toMatchObject({ code: 2 });
    expect(await runLine('capture diff --help')).toMatchObject({ code: 0 });
    expect(await runLine('capture show')).toMatchObject({ code: 1 });
  });

  test.each(['Differs', 'Denied'] as const)('%s is not wrapped, and so exits with 1', async (code) => {
    const command: OperatorCommand = {
      name: 'compare',
      summary: 'compares',
      errorExitCode: 2,
      run: () => Promise.reject(new OperatorError(code, 'one thing differs')),
    };
    const { signal } = new AbortController();
    const none = (): void => undefined;
    const terminal = { out: none, err: none, colour: false, env: {}, cwd: '/', signal };
    await expect(operatorCommand(command, { args: [], options: {} }, terminal)).rejects.toMatchObject({
      code,
    });
  });
});
