import type { KubeObject } from '@kubewright/kube';

/** The object's name; `''` where it has none yet. What is stored has one: read `metadata.name` there. */
export function nameOf({ metadata }: KubeObject): string {
  return metadata.name ?? '';
}

/** The object's namespace as keys and requests have it: `''` in cluster scope. */
export function namespaceOf({ metadata }: KubeObject): string {
  return metadata.namespace ?? '';
}
