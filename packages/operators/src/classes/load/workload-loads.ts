import { type Clock, defined } from '@kubewright/kube';
import type { FunctionLoad, LoadProblem } from '../class-load.ts';
import { type Histograms, type LoadTarget, secondsOf, type Signal } from './load-queries.ts';
import type { MetricsSource } from './metrics-source.ts';
import { PodsSeen } from './pods-seen.ts';
import { type LoadReading, readLoads } from './read-load.ts';
import { UsualInterval } from './usual-interval.ts';

/** A load, of whichever generation; or why there is none, or what of it is not known. */
type WorkloadReading = {
  readonly load?: Omit<FunctionLoad, 'generation'> | undefined;
  readonly problem?: LoadProblem | undefined;
};

/** What one process has seen of a workload. */
export type WorkloadSeen = {
  readonly pods: PodsSeen;
  readonly intervals: { readonly [signal in Signal]: UsualInterval };
  /** The form in which requests are looked for next. */
  histograms: Histograms;
};

/** Of a workload that is looked at for the first time. `now`: milliseconds on a line that never goes back. */
export function nothingSeen(now: number): WorkloadSeen {
  const intervals = { cpu: new UsualInterval(), requests: new UsualInterval() };
  return { pods: new PodsSeen(now), intervals, histograms: 'buckets' };
}

export type WorkloadReader = {
  readonly source: MetricsSource;
  readonly clock: Pick<Clock, 'now' | 'monotonic'>;
};

/** A workload whose running pods are these. */
export type MeasuredWorkload = {
  readonly seen: WorkloadSeen;
  /** What was read before. */
  readonly before: FunctionLoad | undefined;
  readonly running: Omit<LoadTarget, 'gone' | 'histograms'>;
};

/** What was read of a workload, or what kept it from being read. */
export type WorkloadOutcome = WorkloadReading | { readonly error: unknown };

/** Reads the load of workloads, in their order, each at the time of its newest sample. */
export async function workloadLoads(
  { source, clock }: WorkloadReader,
  workloads: readonly MeasuredWorkload[],
  signal: AbortSignal,
): Promise<readonly WorkloadOutcome[]> {
  const now = clock.monotonic();
  const wanted = workloads.map(({ seen, running }) => {
    const { gone, isWhole } = seen.pods.see(running.pods, now, 1000 * secondsOf(running.range));
    const { cpu, requests } = seen.intervals;
    const usual = { cpu: cpu.seconds, requests: requests.seconds };
    return { target: { ...running, gone, histograms: seen.histograms }, usual, isWhole };
  });
  const outcomes = await readLoads(source, wanted, signal);
  return workloads.map((workload, index) => {
    const outcome = outcomes[index] ?? {};
    if ('error' in outcome) return outcome;
    learn(workload, outcome, now);
    return loadIn(workload, outcome, { clock, isWhole: wanted[index]?.isWhole === true });
  });
}

function learn(
  { seen, running }: MeasuredWorkload,
  { intervals = {}, hasNoRequests = false }: LoadReading,
  now: number,
): void {
  // A gap and what fills the range after it last for two.
  const patience = 2000 * secondsOf(running.range);
  seen.intervals.cpu.learn(intervals.cpu, now, patience);
  seen.intervals.requests.learn(intervals.requests, now, patience);
  // A source of the other form would not say so: it has nothing. The next look shows.
  if (hasNoRequests) seen.histograms = seen.histograms === 'native' ? 'buckets' : 'native';
}

function loadIn(
  { before }: MeasuredWorkload,
  { signals, age = 0, problem }: LoadReading,
  { clock, isWhole }: Pick<WorkloadReader, 'clock'> & { readonly isWhole: boolean },
): WorkloadReading {
  if (signals === undefined) return defined({ problem });
  const at = Math.floor(clock.now() - 1000 * age);
  const isPartial = isWhole ? signals.isPartial : true;
  const rpsAt = signals.rps === undefined ? before?.rpsAt : at;
  // Where there are no requests, there is no latency to be known.
  const p99At = signals.p99 === undefined && signals.rps !== 0 ? before?.p99At : at;
  return defined({ load: { ...signals, ...defined({ isPartial, rpsAt, p99At }), at }, problem });
}
