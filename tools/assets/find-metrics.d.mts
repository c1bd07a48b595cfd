/** The path of a source of metrics; undefined while it is not built. */
export function findMetrics(
  name: 'prometheus' | 'thanos' | 'victoria-metrics',
  env?: NodeJS.ProcessEnv,
): string | undefined;
