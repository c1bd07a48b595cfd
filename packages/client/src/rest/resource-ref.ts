import type { KubeObject, ResourceRef } from '@kubewright/kube';

export type { ResourceRef } from '@kubewright/kube';

/** A kind whose resource discovery has to tell. Without `version`, the group's preferred one. */
export type KindRef<T extends KubeObject = KubeObject> = {
  readonly group: string;
  readonly version?: string;
  readonly kind: string;
  readonly object?: T;
};

/** What a call is about. */
export type Ref<T extends KubeObject = KubeObject> = ResourceRef<T> | KindRef<T>;

/** A {@link Ref} for writes: `I` is what writers may send, less than `T` where fields have defaults. */
export type WriteRef<T extends KubeObject, I extends KubeObject> = Ref<T> & { readonly input?: I };

/** Which object. `namespace` is left out for those that have none. */
export type ObjectKey = { readonly namespace?: string | undefined; readonly name: string };

/** True when no look-up is needed. */
export function isResourceRef<T extends KubeObject>(ref: Ref<T>): ref is ResourceRef<T> {
  return 'resource' in ref;
}

/** Where an object lives. */
export function keyOf({ metadata }: Pick<KubeObject, 'metadata'>): ObjectKey {
  const { namespace, name = '' } = metadata;
  return namespace === undefined ? { name } : { namespace, name };
}
