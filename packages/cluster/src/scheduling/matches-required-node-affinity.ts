import type { corev1, Stored } from '@kubewright/kube';
import { matchesNodeTerms } from '@kubewright/kube/selectors';

/** The terms of a pod's required node affinity; undefined where it has none. */
export function requiredTerms({ spec }: corev1.Pod): readonly corev1.NodeSelectorTerm[] | undefined {
  const { requiredDuringSchedulingIgnoredDuringExecution: required } = spec.affinity?.nodeAffinity ?? {};
  return required?.nodeSelectorTerms;
}

/** Whether a node matches both the pod's node selector and its required node affinity. */
export function matchesRequiredNodeAffinity(pod: corev1.Pod, node: Stored<corev1.Node>): boolean {
  const labels = node.metadata.labels ?? {};
  const wanted = Object.entries(pod.spec.nodeSelector ?? {});
  if (!wanted.every(([key, value]) => Object.hasOwn(labels, key) && labels[key] === value)) return false;
  const required = requiredTerms(pod);
  return required === undefined || matchesNodeTerms(required, node);
}
