import { jsonEqual, type OwnerReference } from '@kubewright/kube';

/** How an object's owners changed. Compared by uid. */
export type OwnerChanges = {
  readonly added: readonly OwnerReference[];
  readonly removed: readonly OwnerReference[];
  /** Owners that no longer have to wait for this object. */
  readonly unblocked: readonly string[];
};

export function ownerChanges(
  before: readonly OwnerReference[],
  after: readonly OwnerReference[],
): OwnerChanges {
  const old = new Map(before.map((owner) => [owner.uid, owner]));
  const now = new Map(after.map((owner) => [owner.uid, owner]));
  const removed = [...old.values()].filter(({ uid }) => !now.has(uid));
  const changed = [...now.values()].filter((owner) => {
    const was = old.get(owner.uid);
    return was !== undefined && !jsonEqual(was, owner);
  });
  const noLonger = changed.filter(
    (owner) => old.get(owner.uid)?.blockOwnerDeletion === true && owner.blockOwnerDeletion !== true,
  );
  const blocking = removed.filter(({ blockOwnerDeletion }) => blockOwnerDeletion === true);
  return {
    added: [...now.values()].filter(({ uid }) => !old.has(uid)),
    removed,
    unblocked: [...blocking, ...noLonger].map(({ uid }) => uid),
  };
}
