import { type Json, type KubeObject } from '@kubewright/kube';

/** The variables of readiness checks and overrides, as in the original. */
export const CEL_VARIABLES = ['self', 'composition', 'pathManagedByEno'] as const;

/** What expressions see of a Composition: some of its metadata. */
export function ownerVariables({ metadata }: Pick<KubeObject, 'metadata'>): { readonly composition: Json } {
  const { name = '', namespace = '', labels = {}, annotations = {}, deletionTimestamp = null } = metadata;
  return { composition: { metadata: { name, namespace, labels, annotations, deletionTimestamp } } };
}
