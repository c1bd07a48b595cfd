import type { Stored } from '@kubewright/kube';
import type { Store } from '../../storage/store.ts';
import { objectKey } from '../../storage/stored-object.ts';

/** Finds a live object of the core group. */
export type AccountLookup = (resource: string, namespace: string, name: string) => Stored | undefined;

export function coreObjects(store: Store): AccountLookup {
  return (resource, namespace, name) =>
    store.collection('', resource).get(objectKey(namespace, name))?.object;
}
