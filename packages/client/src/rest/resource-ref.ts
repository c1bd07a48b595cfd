import { type KubeObject, type ResourceRef, shapeOf } from '@kubewright/kube';
import { localError } from '../errors/api-error.ts';

export type { ResourceRef } from '@kubewright/kube';

/** A kind, whose resource discovery finds. Without `version`, the group's preferred one. */
export type KindRef<T extends KubeObject = KubeObject> = {
  readonly group: string;
  readonly version?: string;
  readonly kind: string;
  readonly object?: T;
};

/** The resource of a call. */
export type Ref<T extends KubeObject = KubeObject> = ResourceRef<T> | KindRef<T>;

/** A {@link Ref} for writes: `I` is what writers may send, less than `T` where fields have defaults. */
export type WriteRef<T extends KubeObject, I extends KubeObject> = Ref<T> & { readonly input?: I };

/** Names an object; `namespace` is absent for cluster-scoped ones. */
export type ObjectKey = { readonly namespace?: string | undefined; readonly name: string };

/** Throws `InvalidRequest` for anything else: plain JavaScript may pass it, and so may modules that import each other. */
export function checkRef(ref: Ref): void {
  const { group, kind } = (ref ?? {}) as Partial<KindRef>;
  if (typeof group !== 'string' || typeof kind !== 'string')
    throw localError(
      'InvalidRequest',
      `${typeof ref === 'string' ? JSON.stringify(ref) : shapeOf(ref)} is no reference to a resource: take one of a group (corev1.pods), a customResource, or { group, version, kind }`,
    );
}

/** True when no look-up is needed. */
export function isResourceRef<T extends KubeObject>(ref: Ref<T>): ref is ResourceRef<T> {
  checkRef(ref);
  return 'resource' in ref;
}

/** The key of an object. */
export function keyOf(object: Pick<KubeObject, 'metadata'>): ObjectKey {
  const { metadata } = (object ?? {}) as Partial<KubeObject>;
  if (typeof metadata !== 'object')
    throw localError('InvalidRequest', `${shapeOf(object)} is no object of Kubernetes: it has no metadata`);
  const { namespace, name = '' } = metadata;
  return namespace === undefined ? { name } : { namespace, name };
}
