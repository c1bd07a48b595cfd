// Finds the sources of metrics that are built: looks, never builds.
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { cacheDirectory, holds } from './find.mjs';

/** The file name of a program, which is that of its folder here, too → its module. */
export const METRICS_MODULES = {
  prometheus: 'github.com/prometheus/prometheus',
  thanos: 'github.com/thanos-io/thanos',
  'victoria-metrics': 'github.com/VictoriaMetrics/VictoriaMetrics',
};

/** The version of each that its go.mod pins. */
export const METRICS_VERSIONS = Object.fromEntries(
  Object.entries(METRICS_MODULES).map(([name, module]) => {
    const text = readFileSync(new URL(`${name}/go.mod`, import.meta.url), 'utf8');
    const line = text.split('\n').find((each) => each.startsWith(`require ${module} v`));
    return [name, line.split(' ')[2]];
  }),
);

/** Where a built program is kept, outside the repository: another version has another folder. */
export function metricsDirectory(name, env = process.env) {
  return join(dirname(cacheDirectory(env)), 'metrics', `${name}-${METRICS_VERSIONS[name]}`);
}

/** The path of a program; undefined while it is not built. */
export function findMetrics(name, env = process.env) {
  const directory = metricsDirectory(name, env);
  return holds(directory, [name]) ? join(directory, name) : undefined;
}
