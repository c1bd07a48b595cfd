import type { JsonObject, KubeObject } from '@kubewright/kube';
import { hashOf } from '../../kit/hash-of.ts';

/** What is neither spec nor, for example, the data of a ConfigMap. */
export const NOT_SPEC: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata', 'status']);

/** A hash of the spec, which tells whether an object still is what somebody approved a change of. */
export function specHash(object: KubeObject): string {
  const spec = Object.entries(object as JsonObject).filter(([key]) => !NOT_SPEC.has(key));
  return hashOf(Object.fromEntries(spec));
}
