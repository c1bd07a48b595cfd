import { execFile } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { cacheDirectory, onPath } from '../tools/assets/find.mjs';

/** The module of each program, below `bench`, and its package there, or that of a module which it requires. */
const PROGRAMS = {
  cache: ['go/', './cache'],
  client: ['go/', './client'],
  ways: ['ways/go/', '.'],
  kausality: ['drift/go/', 'github.com/kausality-io/kausality/cmd/kausality-webhook'],
} as const;

/**
 * Builds a program in Go and tells where it is. Where there is no Go, `undefined`: says in one line what is not compared,
 * and why.
 */
export async function goProgram(name: keyof typeof PROGRAMS): Promise<string | undefined> {
  const go = onPath('go');
  if (go === undefined) {
    console.error(`${name} is left out: Go is not installed (https://go.dev/dl)`);
    return undefined;
  }
  const directory = join(cacheDirectory(), 'bench');
  mkdirSync(directory, { recursive: true });
  const program = join(directory, name);
  const [module, path] = PROGRAMS[name];
  console.error(`building ${name} in Go (minutes, the first time)`);
  await promisify(execFile)(go, ['build', '-trimpath', '-mod=readonly', '-o', program, path], {
    cwd: fileURLToPath(new URL(module, import.meta.url)),
    env: { ...process.env, CGO_ENABLED: '0', GOFLAGS: '' },
  });
  return program;
}
