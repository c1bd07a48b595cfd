import { createHash } from 'node:crypto';
import { canonicalJson, type JsonObject, type KubeObject } from '@kubewright/kube';

/** What is neither spec nor, for example, the data of a ConfigMap. */
export const NOT_SPEC: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata', 'status']);

/** A hash of the spec, which tells whether an object still is what somebody approved a change of. */
export function specHash(object: KubeObject): string {
  const spec = Object.entries(object as JsonObject).filter(([key]) => !NOT_SPEC.has(key));
  return createHash('sha256')
    .update(canonicalJson(Object.fromEntries(spec)))
    .digest('hex')
    .slice(0, 16);
}
