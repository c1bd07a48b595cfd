import { type Clock, defined } from '@kubewright/kube';
import type { FunctionLoad, LoadProblem } from '../class-load.ts';
import { type LoadTarget, secondsOf, type Signal } from './load-queries.ts';
import type { MetricsSource } from './metrics-source.ts';
import { PodsSeen } from './pods-seen.ts';
import { readLoad } from './read-load.ts';
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
};

/** Of a workload that is looked at for the first time. `now`: milliseconds on a line that never goes back. */
export function nothingSeen(now: number): WorkloadSeen {
  return { pods: new PodsSeen(now), intervals: { cpu: new UsualInterval(), requests: new UsualInterval() } };
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
  running: Omit<LoadTarget, 'gone'>,
  signal: AbortSignal,
): Promise<WorkloadReading> {
  const [now, rangeMs] = [clock.monotonic(), 1000 * secondsOf(running.range)];
  const { gone, isWhole } = seen.pods.see(running.pods, now, rangeMs);
  const { cpu, requests } = seen.intervals;
  const usual = { cpu: cpu.seconds, requests: requests.seconds };
  const reading = await readLoad(source, { ...running, gone }, signal, usual);
  const { signals, age = 0, problem, intervals = {} } = reading;
  // A gap and what fills the range after it last for two.
  cpu.learn(intervals.cpu, now, 2 * rangeMs);
  requests.learn(intervals.requests, now, 2 * rangeMs);
  if (signals === undefined) return defined({ problem });
  const at = Math.floor(clock.now() - 1000 * age);
  const isPartial = isWhole ? signals.isPartial : true;
  const rpsAt = signals.rps === undefined ? before?.rpsAt : at;
  // Where there are no requests, there is no latency to be known.
  const p99At = signals.p99 === undefined && signals.rps !== 0 ? before?.p99At : at;
  return defined({ load: { ...signals, ...defined({ isPartial, rpsAt, p99At }), at }, problem });
}
