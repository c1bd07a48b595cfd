// npm run assets:metrics: makes sure that the sources of metrics are there that tests build.
// Prints as the last line, alone, the folder of the programs.
import assert from 'node:assert/strict';
import { build } from './build.mjs';
import { findVictoriaMetrics, METRICS_MODULES, metricsDirectory } from './find-metrics.mjs';
import { onPath } from './find.mjs';

async function main() {
  const directory = metricsDirectory();
  if (findVictoriaMetrics() !== undefined) return directory;
  const go = onPath('go');
  assert(go, 'Go is not installed: install it (https://go.dev/dl)');
  console.log(`building into ${directory}`);
  await build(go, directory, Object.keys(METRICS_MODULES), (line) => console.log(line));
  return directory;
}

try {
  console.log(await main());
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}
