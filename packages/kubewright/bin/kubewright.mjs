#!/usr/bin/env node
import { existsSync } from 'node:fs';
import * as nodeModule from 'node:module';
import { fileURLToPath } from 'node:url';

const main = new URL('../dist/cli/main.js', import.meta.url);
if (existsSync(fileURLToPath(main))) {
  // Node 22 and later keep compiled code between runs; Node 20 has no such cache.
  nodeModule.enableCompileCache?.();
  const { main: run } = await import(main.href);
  await run(process);
} else {
  process.stderr.write('kubewright: not built yet; run "npm ci && npm run build" in the repository first\n');
  process.exitCode = 1;
}
