import type { OwnerReference } from '@kubewright/kube';

type ByUid = ReadonlyMap<string, readonly OwnerReference[]>;

/** By the list, which an object keeps until it changes. */
const indexes = new WeakMap<readonly OwnerReference[], ByUid>();

/** The references of a list to the owner with a uid. An object may have thousands of owners, each of which asks. */
export function referencesTo(owners: readonly OwnerReference[], uid: string): readonly OwnerReference[] {
  const index = indexes.get(owners) ?? indexOf(owners);
  indexes.set(owners, index);
  return index.get(uid) ?? [];
}

function indexOf(owners: readonly OwnerReference[]): ByUid {
  const index = new Map<string, OwnerReference[]>();
  for (const owner of owners) {
    const same = index.get(owner.uid);
    if (same === undefined) index.set(owner.uid, [owner]);
    else same.push(owner);
  }
  return index;
}
