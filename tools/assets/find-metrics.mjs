// Finds the sources of metrics that are built: looks, never builds.
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { cacheDirectory, holds } from './find.mjs';

/** The file name of a program → its module, and the version that its go.mod pins. */
export const METRICS_MODULES = { 'victoria-metrics': 'github.com/VictoriaMetrics/VictoriaMetrics' };

const VERSIONS = Object.entries(METRICS_MODULES).map(([name, module]) => {
  const text = readFileSync(new URL(`${name}/go.mod`, import.meta.url), 'utf8');
  const line = text.split('\n').find((each) => each.startsWith(`require ${module} v`));
  return `${name}-${line.split(' ')[2]}`;
});

/** Where built programs are kept, outside the repository: another version has another folder. */
export function metricsDirectory(env = process.env) {
  return join(dirname(cacheDirectory(env)), VERSIONS.join('-'));
}

/** The path of VictoriaMetrics, a single node; undefined while it is not built. */
export function findVictoriaMetrics(env = process.env) {
  const directory = metricsDirectory(env);
  return holds(directory, ['victoria-metrics']) ? join(directory, 'victoria-metrics') : undefined;
}
