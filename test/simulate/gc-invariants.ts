import type { History, Scenario, Written } from '@kubewright/cluster';
import type { KubeObject, OwnerReference } from '@kubewright/kube';

/** The label of what people delete themselves. */
export const USER_DELETED = 'user-deleted';

type Live = ReadonlyMap<string, KubeObject>;

/** What is there when each write has landed, in order. `live` holds the state before the write, by uid. */
function replay(
  history: History,
  look: (write: Written, live: Live) => string | undefined,
): string | undefined {
  const live = new Map<string, KubeObject>();
  for (const write of history.all) {
    const { uid } = write.object.metadata;
    const wrong = look(write, live);
    if (wrong !== undefined) return `at ${write.at} ${wrong}`;
    if (write.type === 'DELETED') live.delete(uid);
    else live.set(uid, write.object);
  }
  return undefined;
}

/** The owner that a reference means, where there is one. */
function ownerOf(reference: OwnerReference, dependent: KubeObject, live: Live): KubeObject | undefined {
  const owner = live.get(reference.uid);
  if (owner?.kind !== reference.kind || owner.metadata.name !== reference.name) return undefined;
  const { namespace } = owner.metadata;
  return namespace === undefined || namespace === dependent.metadata.namespace ? owner : undefined;
}

const waits = ({ metadata }: KubeObject): boolean =>
  metadata.deletionTimestamp !== undefined && metadata.finalizers?.includes('foregroundDeletion') === true;

/** Neither people nor the end of its namespace delete it: so the collector does. */
function isCollected(object: KubeObject, live: Live): boolean {
  const isDeletedByPeople = object.metadata.labels?.[USER_DELETED] !== undefined;
  return object.kind !== 'Namespace' && !isDeletedByPeople && !goesWithItsNamespace(object, live);
}

function goesWithItsNamespace({ metadata: { namespace } }: KubeObject, live: Live): boolean {
  const home = [...live.values()].find(
    ({ kind, metadata }) => kind === 'Namespace' && metadata.name === namespace,
  );
  return home?.metadata.deletionTimestamp !== undefined;
}

function deletesOnlyWhatNobodyOwns(history: History): string | undefined {
  // An owner that waited once gives its dependents up, also when only somebody else's finalizer keeps it then.
  const waited = new Set<string>();
  return replay(history, (write, live) => {
    const { uid } = write.object.metadata;
    if (waits(write.object)) waited.add(uid);
    const before = live.get(uid);
    if (before === undefined || !beginsToGo(write, before) || !isCollected(before, live)) return undefined;
    const { name, ownerReferences = [] } = before.metadata;
    if (ownerReferences.length === 0) return `${name} was deleted, and had no owner`;
    const owners = ownerReferences.flatMap((reference) => ownerOf(reference, before, live) ?? []);
    const owner = owners.find(({ metadata }) => !waited.has(metadata.uid ?? ''));
    return owner === undefined ? undefined : `${name} was deleted, and ${owner.metadata.name} owns it`;
  });
}

function beginsToGo({ type, object }: Written, before: KubeObject): boolean {
  if (before.metadata.deletionTimestamp !== undefined) return false;
  return type === 'DELETED' || object.metadata.deletionTimestamp !== undefined;
}

function orphansAreReleased(history: History): string | undefined {
  return replay(history, (write, live) => {
    const before = live.get(write.object.metadata.uid ?? '');
    if (before === undefined || !endsOrphaning(write, before) || goesWithItsNamespace(before, live))
      return undefined;
    const orphan = [...live.values()].find((one) =>
      one.metadata.ownerReferences?.some((reference) => ownerOf(reference, one, live) === before),
    );
    return orphan === undefined
      ? undefined
      : `${before.metadata.name} ended its orphaning, and ${orphan.metadata.name} still depends on it`;
  });
}

/** And nobody asked for another way meanwhile. */
function endsOrphaning({ type, object }: Written, before: KubeObject): boolean {
  const has = ({ metadata }: KubeObject, finalizer: string): boolean =>
    metadata.finalizers?.includes(finalizer) === true;
  if (!has(before, 'orphan') || has(object, 'foregroundDeletion')) return false;
  return type === 'DELETED' || !has(object, 'orphan');
}

/** References to nothing. What has no namespace and names an owner that would have one is left alone for good. */
export function danglingReferences(
  objects: readonly KubeObject[],
  among: readonly KubeObject[] = objects,
): readonly string[] {
  const live = new Map(among.map((object) => [object.metadata.uid ?? '', object]));
  return objects
    .filter(
      ({ metadata }) => metadata.namespace !== undefined || isAllClusterScoped(metadata.ownerReferences),
    )
    .flatMap((object) =>
      (object.metadata.ownerReferences ?? [])
        .filter((reference) => ownerOf(reference, object, live) === undefined)
        .map(({ name }) => `the end of the reference from ${object.metadata.name} to ${name}`),
    );
}

export function isAllClusterScoped(owners: readonly OwnerReference[] = []): boolean {
  return owners.every(({ kind }) => kind === 'ClusterRole');
}

export const GC_INVARIANTS: Scenario['invariants'] = {
  'only what nobody owns is collected': deletesOnlyWhatNobodyOwns,
  'orphans are released': orphansAreReleased,
};
