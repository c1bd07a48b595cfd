import type { PodInfo } from './state/pod-info.ts';
import type { Rejection } from './filters/filter.ts';

export const NO_NODES = 'no nodes available to schedule pods';

/** What each node said, and how many others were not worth asking, and why. */
export type Diagnosis = {
  readonly nodes: number;
  readonly rejections: readonly Rejection[];
  /** What is to be said of the nodes that were not asked. */
  readonly absent?: string;
  /** Why no node was asked at all. */
  readonly rejected?: string;
};

/** Why a pod fits nowhere, in the words of kube-scheduler's `FitError`. */
export function fitError(diagnosis: Diagnosis, { pod }: PodInfo): string {
  const { rejected, nodes } = diagnosis;
  const why = rejected === undefined ? ` ${histogram(reasonsOf(diagnosis))}.` : ` ${rejected}.`;
  const preemption =
    pod.spec.preemptionPolicy === 'Never'
      ? 'not eligible due to preemptionPolicy=Never.'
      : preempting(diagnosis);
  return `0/${nodes} nodes are available:${why} no new claims to deallocate, preemption: ${preemption}`;
}

function reasonsOf({ nodes, rejections, absent }: Diagnosis): readonly string[] {
  const others = absent === undefined ? [] : Array.from({ length: nodes - rejections.length }, () => absent);
  return [...rejections.flatMap(({ reasons }) => reasons), ...others];
}

function preempting({ nodes, rejections }: Diagnosis): string {
  const victims = rejections
    .filter(({ resolvable }) => resolvable)
    .map(() => 'No preemption victims found for incoming pod');
  const others = Array.from(
    { length: nodes - victims.length },
    () => 'Preemption is not helpful for scheduling',
  );
  return `0/${nodes} nodes are available: ${histogram([...victims, ...others])}.`;
}

/** `1 Insufficient cpu, 2 Too many pods`. */
function histogram(reasons: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const reason of reasons) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  return [...counts]
    .map(([reason, count]) => `${count} ${reason}`)
    .sort()
    .join(', ');
}
