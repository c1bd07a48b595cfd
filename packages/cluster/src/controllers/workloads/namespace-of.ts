import type { KubeObject, NamespacedMeta } from '@kubewright/kube';
import type { Request } from '@kubewright/runtime';

/** Leads from an object to its namespace, for controllers that keep something in each. */
export function namespaceOf({ metadata }: { readonly metadata: NamespacedMeta }): readonly Request[] {
  return [{ name: metadata.namespace }];
}

/** Nothing is made in a namespace that is on its way out, or gone. */
export function isEnding(namespace: KubeObject | undefined): boolean {
  return namespace === undefined || namespace.metadata.deletionTimestamp !== undefined;
}
