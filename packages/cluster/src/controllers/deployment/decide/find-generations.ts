import { type appsv1, compareText, type corev1, jsonEqual, type Stored } from '@kubewright/kube';
import { TEMPLATE_HASH } from '../constants.ts';

type ReplicaSet = Stored<appsv1.ReplicaSet>;

/** The ReplicaSets of a Deployment: the one that has its template, if there is one, and all others. */
export type Generations<Current extends appsv1.ReplicaSet = ReplicaSet> = {
  readonly current: Current | undefined;
  readonly old: readonly ReplicaSet[];
};

export function findGenerations(
  deployment: Stored<appsv1.Deployment>,
  replicaSets: readonly ReplicaSet[],
): Generations {
  const sorted = [...replicaSets].sort(byCreation);
  // Of several with the same template the oldest counts: everybody chooses the same.
  const current = sorted.find(({ spec }) => sameTemplate(spec.template, deployment.spec.template));
  return { current, old: sorted.filter((replicaSet) => replicaSet !== current) };
}

/** Equal but for the label that a Deployment adds. */
export function sameTemplate(
  a: corev1.PodTemplateSpec | undefined,
  b: corev1.PodTemplateSpec | undefined,
): boolean {
  return jsonEqual(withoutHash(a), withoutHash(b));
}

function withoutHash(template: corev1.PodTemplateSpec | undefined): corev1.PodTemplateSpec {
  const { labels, ...metadata } = template?.metadata ?? {};
  const kept = Object.entries(labels ?? {}).filter(([name]) => name !== TEMPLATE_HASH);
  return {
    ...template,
    metadata: { ...metadata, ...(kept.length === 0 ? {} : { labels: Object.fromEntries(kept) }) },
  };
}

/** Oldest first; of two made in the same second the one whose name is first. */
export function byCreation({ metadata: a }: ReplicaSet, { metadata: b }: ReplicaSet): number {
  return compareText(a.creationTimestamp ?? '', b.creationTimestamp ?? '') || compareText(a.name, b.name);
}
