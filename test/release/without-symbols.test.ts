import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { withoutSymbols } from '../../tools/release/without-symbols.ts';

const PROGRAM = '/bin/echo';
const needs = process.platform === 'linux' ? '' : ' [needs Linux]';

test.skipIf(needs !== '')(`a program without its symbols is smaller, and runs${needs}`, () => {
  const folder = mkdtempSync(join(tmpdir(), 'kubewright-symbols-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const whole = readFileSync(PROGRAM);
  const stripped = withoutSymbols(whole);
  expect(stripped.length).toBeLessThan(whole.length);
  const path = join(folder, 'echo');
  writeFileSync(path, stripped, { mode: 0o755 });
  expect(spawnSync(path, ['it', 'runs'], { encoding: 'utf8' })).toMatchObject({
    status: 0,
    stdout: 'it runs\n',
  });
});

test('what is no program is rejected', () => {
  expect(() => withoutSymbols(Buffer.from('#!/bin/sh\n'))).toThrow('it is no ELF of 64 bits');
});
