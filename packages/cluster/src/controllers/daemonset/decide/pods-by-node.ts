import { compareText, type corev1, type Stored } from '@kubewright/kube';
import { isTerminal } from '../../workloads/pod-state.ts';
import { targetNode } from './daemon-pod.ts';

type Pod = Stored<corev1.Pod>;

/** Pods by the node that they are on, or are to go to. */
export type PodsByNode = ReadonlyMap<string, readonly Pod[]>;

/** Pods that are over and being deleted do not count any more. */
export function podsByNode(pods: readonly Pod[]): PodsByNode {
  const found = new Map<string, Pod[]>();
  for (const pod of pods) {
    const node = isLeaving(pod) && isTerminal(pod.status?.phase) ? undefined : targetNode(pod);
    if (node === undefined) continue;
    const there = found.get(node);
    if (there === undefined) found.set(node, [pod]);
    else there.push(pod);
  }
  return found;
}

export const isLeaving = ({ metadata }: Pod): boolean => metadata.deletionTimestamp !== undefined;

export const isScheduled = ({ spec }: Pod): boolean => (spec.nodeName ?? '') !== '';

/** Those that have reached their node first, then by age. */
export function eldestFirst(pods: readonly Pod[]): readonly Pod[] {
  const key = ({ metadata }: Pod): string => `${metadata.creationTimestamp ?? ''} ${metadata.name}`;
  return [...pods].sort(
    (a, b) => Number(isScheduled(b)) - Number(isScheduled(a)) || compareText(key(a), key(b)),
  );
}
