#!/usr/bin/env node
import { statSync } from 'node:fs';
import * as nodeModule from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';

const dist = new URL('../dist/', import.meta.url);
const madeAt = (path) => statSync(new URL(path, dist), { throwIfNoEntry: false })?.mtimeMs ?? 0;

// Where only the compiler ran (`tsc -b`), the bundle is older than what it was made of.
const main = madeAt('bundle/main.js') >= madeAt('.tsbuildinfo') ? 'bundle/main.js' : 'cli/main.js';
if (madeAt(main) > 0) {
  // Node 22 and later keep compiled code between runs; Node 20 has no such cache. By default it is among temporary files.
  const caches = process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache');
  nodeModule.enableCompileCache?.(join(caches, 'kubewright', 'compiled'));
  const { main: run } = await import(new URL(main, dist).href);
  await run(process);
} else {
  process.stderr.write('kubewright: not built yet; run "npm ci && npm run build" in the repository first\n');
  process.exitCode = 1;
}
