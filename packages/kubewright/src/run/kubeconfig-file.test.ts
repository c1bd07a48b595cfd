import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { writeKubeconfig } from './kubeconfig-file.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'kubewright-kubeconfig-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const config = (name: string) => ({ kind: 'Config', 'current-context': name });
const at = (name: string): string => join(folder, '.kubewright', name);
const textOf = (path: string): string => readFileSync(path, 'utf8');

/** As a process leaves it that has ended without notice. */
function staleFile(path: string): void {
  const { pid } = spawnSync(process.execPath, ['-e', '']);
  writeFileSync(path, `# kubewright: process ${pid}, started 1\nkind: Config\n`);
}

describe('the kubeconfig of a cluster in this terminal', () => {
  test('is where kubectl is pointed, for its owner only, and goes with its folder', async () => {
    const file = await writeKubeconfig(undefined, config('a'), folder);
    expect(file.path).toBe(at('kubeconfig'));
    expect(statSync(file.path).mode & 0o777).toBe(0o600);
    expect(textOf(file.path)).toContain('current-context: a');
    await file.remove();
    expect(readdirSync(folder)).toEqual([]);
  });

  test('of a second one has another name; each goes by itself', async () => {
    const first = await writeKubeconfig(undefined, config('a'), folder);
    const second = await writeKubeconfig(undefined, config('b'), folder);
    expect(second.path).toBe(at('kubeconfig-2'));
    expect(textOf(first.path)).toContain('current-context: a');
    await first.remove();
    expect(readdirSync(join(folder, '.kubewright'))).toEqual(['kubeconfig-2']);
    expect((await writeKubeconfig(undefined, config('c'), folder)).path).toBe(at('kubeconfig'));
    await second.remove();
    expect(existsSync(second.path)).toBe(false);
  });

  test('goes with its folder when the process that made the folder has ended before', async () => {
    const first = await writeKubeconfig(undefined, config('a'), folder);
    const second = await writeKubeconfig(undefined, config('b'), folder);
    await first.remove();
    await second.remove();
    expect(readdirSync(folder)).toEqual([]);
  });

  test('takes the place of one whose process has ended', async () => {
    const before = await writeKubeconfig(undefined, config('a'), folder);
    staleFile(before.path);
    const file = await writeKubeconfig(undefined, config('b'), folder);
    expect(file.path).toBe(before.path);
    expect(textOf(file.path)).toContain('current-context: b');
  });

  test('is left alone by a process that has written it no longer', async () => {
    const file = await writeKubeconfig(undefined, config('a'), folder);
    writeFileSync(file.path, 'kind: Config\n');
    await file.remove();
    expect(textOf(file.path)).toBe('kind: Config\n');
  });
});

describe('a kubeconfig with a name that was asked for', () => {
  const named = (name: string) => writeKubeconfig('kc', config(name), folder);
  const path = (): string => join(folder, 'kc');

  test('may be an empty file, or one whose process has ended', async () => {
    writeFileSync(path(), '');
    await (await named('a')).remove();
    staleFile(path());
    expect((await named('b')).path).toBe(path());
    expect(textOf(path())).toContain('current-context: b');
    expect(readdirSync(folder)).toEqual(['kc']);
  });

  test('is never that of a process that runs', async () => {
    await named('a');
    await expect(named('b')).rejects.toThrow(`belongs to process ${process.pid}, which runs; choose another`);
    expect(textOf(path())).toContain('current-context: a');
    expect(readdirSync(folder)).toEqual(['kc']);
  });

  test('is never one that kubewright has not written', async () => {
    writeFileSync(path(), 'kind: Config\ncurrent-context: mine\n');
    await expect(named('b')).rejects.toThrow('was not written by kubewright; choose another place with');
    expect(textOf(path())).toContain('mine');
  });
});
