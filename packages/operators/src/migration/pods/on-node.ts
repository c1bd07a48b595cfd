import type { corev1 } from '@kubewright/kube';

/** Pins a pod to a node by affinity, so that the scheduler still checks whether it fits. */
export function onNode<S extends corev1.PodSpec>(spec: S, node: string): S {
  const matchFields = [{ key: 'metadata.name', operator: 'In' as const, values: [node] }];
  const { affinity } = spec;
  const required = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  // Terms are alternatives, so the node is added to each. Fields that a term already has may be from an earlier
  // migration.
  const terms = required?.nodeSelectorTerms ?? [{}];
  const nodeSelectorTerms = terms.map((term) => ({ ...term, matchFields }));
  const nodeAffinity = { ...affinity?.nodeAffinity, ...requiring(nodeSelectorTerms) };
  return { ...spec, affinity: { ...affinity, nodeAffinity } };
}

/** Without what {@link onNode} has added. A term that then says nothing would match no node, so it goes. */
export function anywhere<S extends corev1.PodSpec>(spec: S): S {
  const { nodeAffinity, ...affinity } = spec.affinity ?? {};
  const { requiredDuringSchedulingIgnoredDuringExecution: required, ...preferred } = nodeAffinity ?? {};
  if (required === undefined) return spec;
  const nodeSelectorTerms = required.nodeSelectorTerms
    .map(({ matchFields: _pinned, ...term }) => term)
    .filter(({ matchExpressions = [] }) => matchExpressions.length > 0);
  const left = nodeSelectorTerms.length === 0 ? preferred : { ...preferred, ...requiring(nodeSelectorTerms) };
  return { ...spec, affinity: { ...affinity, nodeAffinity: left } };
}

function requiring(nodeSelectorTerms: readonly corev1.NodeSelectorTerm[]) {
  return { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } };
}
