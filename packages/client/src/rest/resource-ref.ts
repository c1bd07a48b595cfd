import type { KubeObject } from '@kubewright/kube';

/**
 * A resource of the API, complete: calls with it need no look-up. `T` is the type of its objects, for the compiler
 * only.
 *
 * @example `const configMaps: ResourceRef<ConfigMap> = { group: '', version: 'v1', resource: 'configmaps', kind: 'ConfigMap', namespaced: true };`
 */
export type ResourceRef<T extends KubeObject = KubeObject> = {
  readonly group: string;
  readonly version: string;
  /** Plural: `deployments`. */
  readonly resource: string;
  readonly kind: string;
  readonly namespaced: boolean;
  /** Never set: carries `T`. */
  readonly object?: T;
};

/** A kind whose resource discovery has to tell. Without `version`, the group's preferred one. */
export type KindRef<T extends KubeObject = KubeObject> = {
  readonly group: string;
  readonly version?: string;
  readonly kind: string;
  readonly object?: T;
};

/** What a call is about. */
export type Ref<T extends KubeObject = KubeObject> = ResourceRef<T> | KindRef<T>;

/** Which object. `namespace` is left out for those that have none. */
export type ObjectKey = { readonly namespace?: string | undefined; readonly name: string };

/** True when no look-up is needed. */
export function isResourceRef<T extends KubeObject>(ref: Ref<T>): ref is ResourceRef<T> {
  return 'resource' in ref;
}

/** Where an object lives. */
export function keyOf(object: KubeObject): ObjectKey {
  const { namespace, name = '' } = object.metadata;
  return namespace === undefined ? { name } : { namespace, name };
}
