import type { Json, KubeObject, Status } from '@kubewright/kube';

/** One object, by name. `namespace` is empty for cluster-scoped kinds. */
export type ObjectRef = {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
};

/** The server's answer to one write or dry run: a refusal is an answer, not an exception. */
export type Answer =
  | { readonly ok: true; readonly object: KubeObject }
  | { readonly ok: false; readonly status: Status };

/**
 * The few calls that ownership work makes on the objects it manages. None is answered from a cache: caches may drop
 * managedFields. Rejects only when there was no answer, or one that says to try again later.
 */
export type Target = {
  get(ref: ObjectRef): Promise<KubeObject | undefined>;
  /** Server-side apply with force. A `metadata.resourceVersion` in the object guards it. */
  apply(object: KubeObject, options: { readonly manager: string; readonly dryRun: boolean }): Promise<Answer>;
  patchJson(ref: ObjectRef, patch: Json, options: { readonly manager: string }): Promise<Answer>;
  /** Deletes this very object, by uid and resourceVersion. Deleting what is gone succeeds. */
  delete(live: KubeObject, propagation: 'Background' | 'Foreground'): Promise<Answer>;
};

/** Where an object is found. */
export function refOf(object: KubeObject): ObjectRef {
  return {
    apiVersion: object.apiVersion,
    kind: object.kind,
    namespace: object.metadata.namespace ?? '',
    name: object.metadata.name ?? '',
  };
}
