import type { corev1, Stored } from '@kubewright/kube';
import { tolerates } from '../../scheduling/tolerates.ts';

/** What becomes of one pod on a node. Times are milliseconds. */
export type EvictionDecision =
  /** It stays; an eviction that was announced is called off. */
  | { readonly type: 'stay' }
  | { readonly type: 'evict' }
  /** It may stay until then. */
  | { readonly type: 'wait'; readonly until: number };

/**
 * Whether a pod has to leave a node with these taints: at once if it does not tolerate one of them, and when the
 * shortest of its tolerations is over. `until` is what was decided before; a time once given stands.
 */
export function decide(
  { spec: { tolerations = [] } }: Stored<corev1.Pod>,
  taints: readonly corev1.Taint[],
  { until, now }: { readonly until: number | undefined; readonly now: number },
): EvictionDecision {
  const driving = taints.filter(({ effect }) => effect === 'NoExecute');
  if (driving.length === 0) return { type: 'stay' };
  const used = driving.map((taint) => tolerations.find((toleration) => tolerates(toleration, taint)));
  if (used.includes(undefined)) return { type: 'evict' };
  const seconds = used.flatMap((toleration) => toleration?.tolerationSeconds ?? []);
  if (seconds.length === 0) return { type: 'stay' };
  const end = until ?? now + Math.max(0, Math.min(...seconds)) * 1000;
  return end <= now ? { type: 'evict' } : { type: 'wait', until: end };
}
