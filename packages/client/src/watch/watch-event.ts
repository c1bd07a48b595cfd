import type { KubeObject, Status, Stored } from '@kubewright/kube';

/** One line of a watch. A bookmark's object carries only `metadata.resourceVersion` (and annotations). */
export type WatchEvent<T extends KubeObject = KubeObject> =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: Stored<T> }
  | { readonly type: 'BOOKMARK'; readonly object: KubeObject }
  | { readonly type: 'ERROR'; readonly status: Status };
