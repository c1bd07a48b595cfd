import type { appsv1, corev1, Named, Stored, TemplateOf } from '@kubewright/kube';

type StatefulSet = Stored<appsv1.StatefulSet>;

const LARGEST = 0x7fffffff;

/** The set that a pod belongs to by its name, and its place there; -1 where the name ends with no such number. */
export function placeOf({ metadata }: Named): { readonly set: string; readonly ordinal: number } {
  const [, set = '', digits = ''] = /^(.*)-([0-9]+)$/.exec(metadata.name) ?? [];
  const ordinal = digits === '' ? -1 : Number(digits);
  return { set, ordinal: ordinal > LARGEST ? -1 : ordinal };
}

export const ordinalOf = (pod: Named): number => placeOf(pod).ordinal;

export const replicasOf = ({ spec }: StatefulSet): number => spec.replicas ?? 1;

export const firstOrdinal = ({ spec }: StatefulSet): number => spec.ordinals?.start ?? 0;

export function isInRange(set: StatefulSet, pod: Named<corev1.Pod>): boolean {
  const index = ordinalOf(pod) - firstOrdinal(set);
  return index >= 0 && index < replicasOf(set);
}

export const podName = ({ metadata }: StatefulSet, ordinal: number): string => `${metadata.name}-${ordinal}`;

/** Of the claim that a template stands for at a place of the set. */
export const claimName = (
  { metadata }: TemplateOf<corev1.PersistentVolumeClaim>,
  set: StatefulSet,
  ordinal: number,
): string => `${metadata.name ?? ''}-${podName(set, ordinal)}`;
