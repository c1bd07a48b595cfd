import { execFileSync } from 'node:child_process';
import { constants } from 'node:fs';
import { mkdtemp, open, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readInput, readRegularFile } from './read-input.ts';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'inputs-'));
});
afterEach(() => rm(folder, { recursive: true }));

async function fileWith(text: string): Promise<string> {
  const path = join(folder, 'file');
  await writeFile(path, text);
  return path;
}

function pipe(): string {
  const path = join(folder, 'pipe');
  execFileSync('mkfifo', [path]);
  return path;
}

describe('input that a user names', () => {
  it('is a file, or a link to one', async () => {
    const path = await fileWith('hello');
    await symlink(path, join(folder, 'link'));
    expect((await readInput(join(folder, 'link'))).toString()).toBe('hello');
  });

  it('is a pipe, up to its end', async () => {
    const path = pipe();
    const reading = readInput(path);
    await writeFile(path, 'hello');
    expect((await reading).toString()).toBe('hello');
  });

  it('is no pipe where only files are expected', async () => {
    await expect(readInput(pipe(), { isFile: true })).rejects.toThrow('it is a pipe, not a file');
  });

  it('is empty where it is the null device, as of KUBECONFIG=/dev/null', async () => {
    expect((await readInput('/dev/null')).length).toBe(0);
  });

  it.each([
    ['a folder', '/', 'it is a directory, not a file'],
    ['a device', '/dev/zero', 'it is a device, not a file'],
    ['nothing', '/nowhere', 'ENOENT'],
  ])('is not %s', async (_title, path, message) => {
    await expect(readInput(path)).rejects.toThrow(message);
  });

  it('has a limit', async () => {
    await expect(readInput(await fileWith('hello'), { limitBytes: 4 })).rejects.toThrow('it is larger than');
    const path = pipe();
    const reading = expect(readInput(path, { limitBytes: 4 })).rejects.toThrow('it is larger than');
    await writeFile(path, 'hello').catch(() => undefined);
    await reading;
  });

  it.each(['has no writer yet', 'has a silent writer'])(
    'is not waited for after an interrupt: a pipe that %s',
    async (title) => {
      const path = pipe();
      const stop = new AbortController();
      // Both ends at once: opening one of them alone would wait.
      const writer = title === 'has a silent writer' ? await open(path, constants.O_RDWR) : undefined;
      const reading = expect(readInput(path, { signal: stop.signal })).rejects.toThrow('aborted');
      setImmediate(() => stop.abort());
      await reading;
      await writer?.close();
    },
  );

  it('is not opened after an interrupt', async () => {
    await expect(readInput(pipe(), { signal: AbortSignal.abort() })).rejects.toThrow('aborted');
  });
});

describe('a file of a folder that anybody may have changed', () => {
  it('is read when it is a regular one', async () => {
    expect((await readRegularFile(await fileWith('hello'), 5)).toString()).toBe('hello');
  });

  it('has a limit', async () => {
    await expect(readRegularFile(await fileWith('hello!'), 5)).rejects.toThrow('it is larger than');
  });

  it('is not read through a link, from a pipe, a folder or a device', async () => {
    await symlink('/dev/zero', join(folder, 'link'));
    await expect(readRegularFile(join(folder, 'link'), 5)).rejects.toThrow('it is a link, not a file');
    await expect(readRegularFile(pipe(), 5)).rejects.toThrow('it is a pipe, not a file');
    await expect(readRegularFile(folder, 5)).rejects.toThrow('it is a directory, not a file');
    await expect(readRegularFile('/dev/zero', 5)).rejects.toThrow('it is a device, not a file');
  });
});
