// npm run assets:metrics: makes sure that the sources of metrics are there that tests build: Prometheus 3, Thanos, VictoriaMetrics.
// Prints as the last line, alone, the folder in which each has its own.
import { dirname } from 'node:path';
import { METRICS_MODULES, METRICS_VERSIONS, metricsDirectory } from './find-metrics.mjs';
import { ensureBuilt, printFolder } from './print-folder.mjs';

await printFolder(async () => {
  const names = Object.keys(METRICS_MODULES);
  for (const name of names)
    await ensureBuilt(`${name} ${METRICS_VERSIONS[name]}`, metricsDirectory(name), [name]);
  return dirname(metricsDirectory(names[0]));
});
