import type { KubeObject, Stored } from '@kubewright/kube';
import type { Registry } from './registry.ts';

/** One stored object, of whatever version. `namespace` is empty for cluster-scoped resources. */
export type ObjectRef = {
  readonly group: string;
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
};

/** A committed write: `previous` is absent on the first, `object` of a deletion is the last state. */
export type ObjectChange = {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: Stored;
  readonly previous?: Stored;
};

/** The manager of a write of the server itself, for `metadata.managedFields`. */
export type ServerWrite = {
  /** Default `kube-apiserver`. */
  readonly manager?: string;
  /** `status` to be recorded as a status write. */
  readonly subresource?: string;
};

/** What a server extension may read and write. */
export type ExtensionHost = {
  readonly registry: Registry;
  readonly now: () => Date;
  /**
   * Calls `listener` after each committed write of a resource, in the order of the writes. The call comes in a later
   * microtask: the request that wrote has its result already, as with a controller beside the server. There are no
   * events of the objects of a snapshot: list them.
   */
  observe(group: string, resource: string, listener: (change: ObjectChange) => void): () => void;
  /** From now on the stored objects of a resource are what `read` makes of what was written. */
  reread(group: string, resource: string, read: (object: KubeObject) => KubeObject): void;
  get(ref: ObjectRef): Stored | undefined;
  list(group: string, resource: string): readonly Stored[];
  /**
   * Replaces an object by what `change` makes of it, without the kind's validation. Writes nothing where `change`
   * returns the object unchanged or undefined, or where the object is gone. An object being deleted whose last
   * finalizer goes this way is removed.
   */
  update(ref: ObjectRef, change: (object: Stored) => KubeObject | undefined, options?: ServerWrite): void;
  /** As a client's DELETE: waits for finalizers. Does nothing where the object is gone. */
  delete(ref: ObjectRef): void;
};

/** A part of the server beyond generic REST, wired at start: CustomResourceDefinitions are one. */
export type ServerExtension = (host: ExtensionHost) => void;
