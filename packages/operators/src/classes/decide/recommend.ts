import type { Signals } from '../class-load.ts';

export type Recommendation = {
  readonly replicas: number;
  /** Which signals say so, in words that do not change with their values. */
  readonly basis: string;
};

export type Requirements = {
  readonly min_throughput_rps?: number | undefined;
  readonly max_latency_ms?: number | undefined;
};

const LATENCY_MS = 250;
/** Nobody runs more; an absurd value stays a whole number. */
const MOST = 100_000;

/**
 * How many replicas a load asks for, after the original: CPU by what one replica is to use, more where the throughput
 * that is asked for would take more, and one more where requests take too long.
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

/** What the throughput that is asked for would take, if CPU grows with it. */
function throughputReplicas(
  used: number,
  rps: number | undefined,
  target: number | undefined,
): number | undefined {
  if (target === undefined || rps === undefined || rps === 0) return undefined;
  return roundedUp((target / rps) * used);
}

/** What is only above a whole number because decimals were added is not above it. */
function roundedUp(value: number): number {
  return Math.ceil(value - 1e-6);
}
