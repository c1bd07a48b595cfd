#!/usr/bin/env node
import { readFileSync, statSync } from 'node:fs';
import * as nodeModule from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';

const dist = new URL('../dist/', import.meta.url);
const madeAt = (path) => statSync(new URL(path, dist), { throwIfNoEntry: false })?.mtimeMs ?? 0;

/** What the bundle has as text, because nothing has to be loaded to print it; undefined for all else, and other widths. */
function written([flag, ...others]) {
  const { isTTY, columns } = process.stdout;
  const help = `help-${isTTY ? Math.min(columns, 100) : 80}.txt`;
  const name = { '--version': 'version.txt', '-V': 'version.txt', '--help': help, '-h': help }[flag];
  if (name === undefined || others.length > 0) return undefined;
  const path = new URL(`bundle/${name}`, dist);
  return madeAt(path) > 0 ? readFileSync(path, 'utf8') : undefined;
}

// Where only the compiler ran (`tsc -b`), the bundle is older than what it was made of.
const isBundled = madeAt('bundle/main.js') >= madeAt('.tsbuildinfo');
const main = isBundled ? 'bundle/main.js' : 'cli/main.js';
const text = isBundled ? written(process.argv.slice(2)) : undefined;
if (text !== undefined) {
  process.stdout.on('error', () => {}).write(text);
} else if (madeAt(main) > 0) {
  // Node 22 and later keep compiled code between runs; Node 20 has no such cache. By default it is among temporary files.
  const caches = process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache');
  nodeModule.enableCompileCache?.(join(caches, 'kubewright', 'compiled'));
  const { main: run } = await import(new URL(main, dist).href);
  await run(process);
} else {
  process.stderr.write('kubewright: not built yet; run "npm ci && npm run build" in the repository first\n');
  process.exitCode = 1;
}
