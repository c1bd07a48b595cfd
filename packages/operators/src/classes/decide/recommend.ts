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
  { cpu, rps, p99 }: Signals,
  { min_throughput_rps, max_latency_ms = LATENCY_MS }: Requirements,
  cpuPerPod: number,
): Recommendation {
  const perCpu = roundedUp(cpu / cpuPerPod);
  const perThroughput = throughputReplicas(cpu / cpuPerPod, rps, min_throughput_rps);
  const isSlow = p99 !== undefined && p99 > max_latency_ms;
  const replicas = Math.max(1, perCpu, perThroughput ?? 0) + (isSlow ? 1 : 0);
  const words = [
    (perThroughput ?? 0) > perCpu ? 'throughput' : 'cpu',
    ...(min_throughput_rps !== undefined && perThroughput === undefined ? ['no traffic'] : []),
    ...(isSlow ? ['latency'] : []),
  ];
  return { replicas: Math.min(replicas, MOST), basis: words.join(', ') };
}

/** The replicas for the required throughput, if CPU grows linearly with it. */
function throughputReplicas(
  used: number,
  rps: number | undefined,
  target: number | undefined,
): number | undefined {
  if (target === undefined || rps === undefined || rps === 0) return undefined;
  return roundedUp((target / rps) * used);
}

/** Rounds up, but tolerates floating-point error just above a whole number. */
function roundedUp(value: number): number {
  return Math.ceil(value - 1e-6);
}
