import type { KubeObject } from '@kubewright/kube';
import { viewOf } from '../annotations/recorded-view.ts';
import { ANNOTATIONS, type Hop } from '../api.ts';

/** The trace of an object, as it is recorded. */
export function hopsOf(object: KubeObject): readonly Hop[] {
  return JSON.parse(viewOf(object).metadata.annotations?.[ANNOTATIONS.trace] ?? '[]') as readonly Hop[];
}
