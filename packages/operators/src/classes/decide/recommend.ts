import type { Signals } from '../class-load.ts';

export type Recommendation = {
  readonly replicas: number;
  /** Which signals led to it, in words that do not change with the values. */
  readonly basis: string;
};

export type Requirements = {
  readonly min_throughput_rps?: number | undefined;
  readonly max_latency_ms?: number | undefined;
};

const LATENCY_MS = 250;
/** A sanity limit: an absurd value stays a whole number. */
const MOST = 100_000;

/**
 * The replicas that a load needs, like the original: by CPU per replica, more if the required throughput needs more,
 * and one more if requests are too slow.
 */
export function recommend(
  signals: Signals,
  { min_throughput_rps, max_latency_ms = LATENCY_MS }: Requirements,
  cpuPerPod: number,
): Recommendation {
  const { cpu, rps, p99 } = signals;
  const perCpu = roundedUp(cpu / cpuPerPod);
  const perThroughput = throughputReplicas(signals, min_throughput_rps, cpuPerPod) ?? 0;
  const isSlow = p99 !== undefined && p99 > max_latency_ms;
  const replicas = Math.max(1, perCpu, perThroughput) + (isSlow ? 1 : 0);
  const words = [
    perThroughput > perCpu ? 'throughput' : 'cpu',
    ...(min_throughput_rps !== undefined && rps === 0 ? ['no traffic'] : []),
    ...(isSlow ? ['latency'] : []),
  ];
  return { replicas: Math.min(replicas, MOST), basis: words.join(', ') };
}

/**
 * The signals that a class goes by, and that are not there. What is missing is not 0: fewer replicas than `last` was for cannot be
 * recommended without them. Where there are no requests, there is no latency.
 */
export function missingSignals(
  { rps, p99 }: Signals,
  { min_throughput_rps, max_latency_ms }: Requirements,
  last: Pick<Recommendation, 'basis'> | undefined,
): readonly ('throughput' | 'latency')[] {
  const goesBy = (word: string): boolean => last?.basis.split(', ').includes(word) === true;
  const needsRps = min_throughput_rps !== undefined;
  const needsP99 = max_latency_ms !== undefined || goesBy('latency');
  return [
    ...(needsRps && rps === undefined ? (['throughput'] as const) : []),
    ...(needsP99 && p99 === undefined && rps !== 0 ? (['latency'] as const) : []),
  ];
}

/** The replicas for the required throughput, if CPU grows linearly with it. */
function throughputReplicas(
  { cpu, rps = 0, rpsCpu = cpu }: Signals,
  target: number | undefined,
  cpuPerPod: number,
): number | undefined {
  return target === undefined || rps === 0 ? undefined : roundedUp((target / rps) * (rpsCpu / cpuPerPod));
}

/** Rounds up, but tolerates floating-point error just above a whole number. */
function roundedUp(value: number): number {
  return Math.ceil(value - 1e-6);
}
