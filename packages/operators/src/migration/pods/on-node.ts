import type { corev1 } from '@kubewright/kube';

/** The pod goes to this node and no other; the scheduler still sees to it that the node can take it. */
export function onNode<S extends corev1.PodSpec>(spec: S, node: string): S {
  const matchFields = [{ key: 'metadata.name', operator: 'In' as const, values: [node] }];
  const { affinity } = spec;
  const required = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  // Terms are alternatives: the node is part of each. Fields that a term names already may be those of another migration.
  const terms = required?.nodeSelectorTerms ?? [{}];
  const nodeSelectorTerms = terms.map((term) => ({ ...term, matchFields }));
  return {
    ...spec,
    affinity: {
      ...affinity,
      nodeAffinity: {
        ...affinity?.nodeAffinity,
        requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms },
      },
    },
  };
}
