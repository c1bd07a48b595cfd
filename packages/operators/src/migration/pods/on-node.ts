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
