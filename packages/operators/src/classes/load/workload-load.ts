import { type Clock, defined } from '@kubewright/kube';
import type { FunctionLoad, LoadProblem } from '../class-load.ts';
import { type Histograms, type LoadTarget, secondsOf, type Signal } from './load-queries.ts';
import type { MetricsSource } from './metrics-source.ts';
import { PodsSeen } from './pods-seen.ts';
import { type LoadReading, readLoad } from './read-load.ts';
import { UsualInterval } from './usual-interval.ts';

/** A load, of whichever generation; or why there is none, or what of it is not known. */
export type WorkloadReading = {
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
  readonly seen: WorkloadSeen;
  /** What was read before. */
  readonly before: FunctionLoad | undefined;
};

/** Reads the load of a workload whose running pods are these, at the time of its newest sample. */
export async function workloadLoad(
  { source, clock, seen, before }: WorkloadReader,
  running: Omit<LoadTarget, 'gone' | 'histograms'>,
  signal: AbortSignal,
): Promise<WorkloadReading> {
  const [now, rangeMs] = [clock.monotonic(), 1000 * secondsOf(running.range)];
  const { gone, isWhole } = seen.pods.see(running.pods, now, rangeMs);
  const { cpu, requests } = seen.intervals;
  const usual = { cpu: cpu.seconds, requests: requests.seconds };
  const reading = await readLoad(source, { ...running, gone, histograms: seen.histograms }, signal, usual);
  learn(seen, reading, now, rangeMs);
  const { signals, age = 0, problem } = reading;
  if (signals === undefined) return defined({ problem });
  const at = Math.floor(clock.now() - 1000 * age);
  const isPartial = isWhole ? signals.isPartial : true;
  const rpsAt = signals.rps === undefined ? before?.rpsAt : at;
  // Where there are no requests, there is no latency to be known.
  const p99At = signals.p99 === undefined && signals.rps !== 0 ? before?.p99At : at;
  return defined({ load: { ...signals, ...defined({ isPartial, rpsAt, p99At }), at }, problem });
}

function learn(
  seen: WorkloadSeen,
  { intervals = {}, hasNoRequests = false }: LoadReading,
  now: number,
  rangeMs: number,
): void {
  // A gap and what fills the range after it last for two.
  seen.intervals.cpu.learn(intervals.cpu, now, 2 * rangeMs);
  seen.intervals.requests.learn(intervals.requests, now, 2 * rangeMs);
  // A source of the other form would not say so: it has nothing. The next look shows.
  if (hasNoRequests) seen.histograms = seen.histograms === 'native' ? 'buckets' : 'native';
}
