import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export const ROOT: string = fileURLToPath(new URL('../..', import.meta.url));

const LIMIT = 64 * 1024 * 1024;

/** Runs npm in the repository, and gives what it printed. */
export function runNpm(...args: readonly string[]): string {
  const options = {
    cwd: ROOT,
    encoding: 'utf8',
    maxBuffer: LIMIT,
    shell: process.platform === 'win32',
  } as const;
  const { status, stdout, stderr } = spawnSync('npm', [...args, '--loglevel=error'], options);
  assert(status === 0, `npm ${args.slice(0, 2).join(' ')} failed:\n${stderr}`);
  return stdout;
}
