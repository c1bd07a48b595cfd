import { execFile } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { cacheDirectory, onPath } from '../tools/assets/find.mjs';

const MODULE = fileURLToPath(new URL('go/', import.meta.url));

/**
 * Builds `bench/go/NAME` and tells where it is. Where there is no Go, `undefined`: says in one line what is not compared,
 * and why.
 */
export async function goProgram(name: 'cache' | 'client'): Promise<string | undefined> {
  const go = onPath('go');
  if (go === undefined) {
    console.error('client-go is left out: Go is not installed (https://go.dev/dl)');
    return undefined;
  }
  const directory = join(cacheDirectory(), 'bench');
  mkdirSync(directory, { recursive: true });
  const program = join(directory, name);
  console.error(`building client-go's side (minutes, the first time)`);
  await promisify(execFile)(go, ['build', '-trimpath', '-mod=readonly', '-o', program, `./${name}`], {
    cwd: MODULE,
    env: { ...process.env, CGO_ENABLED: '0', GOFLAGS: '' },
  });
  return program;
}
