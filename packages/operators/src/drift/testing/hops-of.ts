import type { KubeObject } from '@kubewright/kube';
import { ANNOTATIONS, type Hop } from '../api.ts';

/** The trace of an object, as it is stored. */
export function hopsOf(object: KubeObject): readonly Hop[] {
  return JSON.parse(object.metadata.annotations?.[ANNOTATIONS.trace] ?? '[]') as readonly Hop[];
}
