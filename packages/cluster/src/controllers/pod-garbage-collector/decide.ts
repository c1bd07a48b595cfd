import { compareText, type corev1, type Stored } from '@kubewright/kube';

type Pod = Stored<corev1.Pod>;

/** Everything that a decision about one pod needs. Times are milliseconds. */
export type Observed = {
  readonly pod: Pod;
  readonly node: Stored<corev1.Node> | undefined;
  /** Since when the pod's node is not there; undefined if it is, or if the pod has none. */
  readonly orphanedSince: number | undefined;
  /** More pods are over than may be, and this is among those that go first. */
  readonly surplus: boolean;
};

export type CollectDecision =
  | { readonly type: 'keep' }
  | { readonly type: 'wait'; readonly ms: number }
  /** To be confirmed by a look at the node, which may be younger than the cache. */
  | { readonly type: 'collect'; readonly orphan: boolean };

const OUT_OF_SERVICE = 'node.kubernetes.io/out-of-service';

/** Whether a pod is to be removed by force. `quarantineMs`: how long a node has to be missing. */
export function decide(observed: Observed, quarantineMs: number, now: number): CollectDecision {
  const { pod, orphanedSince, surplus } = observed;
  if (surplus || isStranded(observed)) return { type: 'collect', orphan: false };
  if (orphanedSince !== undefined) {
    const ms = orphanedSince + quarantineMs - now;
    return ms > 0 ? { type: 'wait', ms } : { type: 'collect', orphan: true };
  }
  const unplaced = (pod.spec.nodeName ?? '') === '' && pod.metadata.deletionTimestamp !== undefined;
  return unplaced ? { type: 'collect', orphan: false } : { type: 'keep' };
}

/** It is terminating on a node with the out-of-service taint. */
function isStranded({ pod, node }: Observed): boolean {
  if (pod.metadata.deletionTimestamp === undefined || node === undefined) return false;
  const ready = node.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True');
  return ready !== true && (node.spec.taints ?? []).some(({ key }) => key === OUT_OF_SERVICE);
}

/** Those of the pods that are over which go first where only `threshold` may stay: evicted ones, then the oldest. */
export function surplusPods(terminated: readonly Pod[], threshold: number): readonly Pod[] {
  const evicted = ({ status }: Pod): number =>
    status?.phase === 'Failed' && status.reason === 'Evicted' ? 0 : 1;
  const created = ({ metadata }: Pod): string => metadata.creationTimestamp ?? '';
  return [...terminated]
    .sort(
      (a, b) =>
        evicted(a) - evicted(b) ||
        compareText(created(a), created(b)) ||
        compareText(a.metadata.name, b.metadata.name),
    )
    .slice(0, Math.max(0, terminated.length - threshold));
}
