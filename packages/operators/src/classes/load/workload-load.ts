import { type Clock, defined } from '@kubewright/kube';
import type { FunctionLoad, LoadProblem } from '../class-load.ts';
import { type LoadTarget, secondsOf } from './load-queries.ts';
import type { MetricsSource } from './metrics-source.ts';
import type { PodsSeen } from './pods-seen.ts';
import { readLoad } from './read-load.ts';

/** A load, of whichever generation; or why there is none, or what of it is not known. */
export type WorkloadReading = {
  readonly load?: Omit<FunctionLoad, 'generation'> | undefined;
  readonly problem?: LoadProblem | undefined;
};

export type WorkloadReader = {
  readonly source: MetricsSource;
  readonly clock: Pick<Clock, 'now' | 'monotonic'>;
  /** Which pods of the workload ran before. */
  readonly seen: PodsSeen;
  /** What was read before. */
  readonly before: FunctionLoad | undefined;
};

/** Reads the load of a workload whose running pods are these, at the time of its newest sample. */
export async function workloadLoad(
  { source, clock, seen, before }: WorkloadReader,
  running: Omit<LoadTarget, 'gone'>,
  signal: AbortSignal,
): Promise<WorkloadReading> {
  const { gone, isWhole } = seen.see(running.pods, clock.monotonic(), 1000 * secondsOf(running.range));
  const reading = await readLoad(source, { ...running, gone }, signal, seen.intervals);
  const { signals, age = 0, problem } = reading;
  seen.intervals = reading.intervals ?? seen.intervals;
  if (signals === undefined) return defined({ problem });
  const at = Math.floor(clock.now() - 1000 * age);
  const isPartial = isWhole ? signals.isPartial : true;
  const rpsAt = signals.rps === undefined ? before?.rpsAt : at;
  // Where there are no requests, there is no latency to be known.
  const p99At = signals.p99 === undefined && signals.rps !== 0 ? before?.p99At : at;
  return defined({ load: { ...signals, ...defined({ isPartial, rpsAt, p99At }), at }, problem });
}
