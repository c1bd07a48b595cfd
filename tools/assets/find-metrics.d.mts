/** The path of VictoriaMetrics, a single node; undefined while it is not built. */
export function findVictoriaMetrics(env?: NodeJS.ProcessEnv): string | undefined;
