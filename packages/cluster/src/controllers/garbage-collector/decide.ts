import type { JsonObject, KubeObject, OwnerReference, Stored } from '@kubewright/kube';
import { FOREGROUND, type NodeWithDependents, ORPHAN } from './graph-node.ts';
import type { ObjectReference } from './object-reference.ts';
import type { Observation } from './observe.ts';

type Propagation = 'Background' | 'Foreground' | 'Orphan';

/** One API call, or something for the graph to know. */
export type Action =
  | {
      readonly type: 'delete';
      readonly identity: ObjectReference;
      readonly resourceVersion: string;
      readonly propagation: Propagation;
    }
  /** `metadata` is merged; it says of which uid and version. */
  | { readonly type: 'patch'; readonly identity: ObjectReference; readonly metadata: JsonObject }
  | { readonly type: 'confirmAbsent'; readonly identity: ObjectReference }
  | { readonly type: 'attempt'; readonly uids: readonly string[] };

export type Decision = {
  readonly actions: readonly Action[];
  /** One word for tests and logs: why this and nothing else. */
  readonly reason: string;
  /** The actions are a step; what comes next is decided on what they made of the object. */
  readonly again?: true;
};

type Live = Extract<Observation, { type: 'live' }>;

const nothing = (reason: string): Decision => ({ actions: [], reason });

/**
 * What to do about an object: delete it when it has owners and none of them is left, take away references that mean
 * nothing, and lead a foreground deletion or an orphaning to its end. Pure.
 *
 * After `attemptToDeleteItem` and `attemptToOrphanWorker` of Kubernetes' garbage collector.
 */
export function decide(node: NodeWithDependents, observation: Observation): Decision {
  if (observation.type === 'unplaceable') return nothing('Unplaceable');
  if (observation.type === 'absent') {
    return { actions: [{ type: 'confirmAbsent', identity: observation.identity }], reason: 'Absent' };
  }
  if (node.orphaning) return orphan(node, observation);
  if (node.deletingDependents) return leadForeground(node, observation);
  return collect(node, observation);
}

/** Its dependents lose their reference to it, then it loses the finalizer. */
function orphan({ identity }: NodeWithDependents, { object, dependents }: Live): Decision {
  if (object.metadata.finalizers?.includes(ORPHAN) !== true) return nothing('NoLongerOrphaning');
  const released = dependents.map((dependent): Action => {
    const keep = ownersOf(dependent.object).filter(({ uid }) => uid !== identity.uid);
    return withOwners(dependent.identity, dependent.object, keep);
  });
  return { actions: [...released, ...withoutFinalizer(identity, object, ORPHAN)], reason: 'Orphan' };
}

/** The owner stays as long as a dependent blocks it. */
function leadForeground({ identity, dependents }: NodeWithDependents, { object }: Live): Decision {
  const blocking = dependents.filter((dependent) => dependent.blocks);
  if (blocking.length === 0) {
    return { actions: withoutFinalizer(identity, object, FOREGROUND), reason: 'DependentsGone' };
  }
  const uids = blocking.filter((one) => !one.deletingDependents).map((one) => one.identity.uid);
  return { actions: [{ type: 'attempt', uids }], reason: 'WaitingForDependents' };
}

function collect(node: NodeWithDependents, live: Live): Decision {
  const { references, object } = live;
  const uidsOf = (...states: readonly string[]): ReadonlySet<string> =>
    new Set(references.filter(({ owner }) => states.includes(owner)).map(({ reference }) => reference.uid));
  if (references.length === 0) return nothing('NoOwner');
  if (uidsOf('solid').size > 0) {
    // References to waiting owners are removed too: they would wait for what is not going to be deleted.
    const useless = uidsOf('dangling', 'waiting');
    if (useless.size === 0) return nothing('Owned');
    const keep = ownersOf(object).filter(({ uid }) => !useless.has(uid));
    return { actions: [withOwners(node.identity, object, keep)], reason: 'Owned' };
  }
  if (uidsOf('waiting').size > 0 && node.dependents.length > 0) return deleteInForeground(node, live);
  return deleteWith(node, object, policyOf(object));
}

/** Where a dependent waits as well there may be a circle: it is broken before everybody waits for everybody. */
function deleteInForeground(node: NodeWithDependents, { object }: Live): Decision {
  const owners = ownersOf(object);
  const mayBeCircle = node.dependents.some((dependent) => dependent.deletingDependents);
  if (mayBeCircle && owners.some((owner) => owner.blockOwnerDeletion === true)) {
    const unblocked = owners.map((owner) =>
      owner.blockOwnerDeletion === true ? { ...owner, blockOwnerDeletion: false } : owner,
    );
    return { actions: [withOwners(node.identity, object, unblocked)], reason: 'Circle', again: true };
  }
  return deleteWith(node, object, 'Foreground');
}

/** What the object's own finalizers say is respected. */
function policyOf({ metadata: { finalizers = [] } }: KubeObject): Propagation {
  if (finalizers.includes(ORPHAN)) return 'Orphan';
  return finalizers.includes(FOREGROUND) ? 'Foreground' : 'Background';
}

function deleteWith(
  { identity }: NodeWithDependents,
  { metadata: { resourceVersion } }: Stored,
  propagation: Propagation,
): Decision {
  return { actions: [{ type: 'delete', identity, resourceVersion, propagation }], reason: 'NoOwnerLeft' };
}

function ownersOf({ metadata }: KubeObject): readonly OwnerReference[] {
  return metadata.ownerReferences ?? [];
}

function withOwners(identity: ObjectReference, object: Stored, owners: readonly OwnerReference[]): Action {
  return guarded(identity, object, { ownerReferences: owners.map((owner) => ({ ...owner })) });
}

function withoutFinalizer(identity: ObjectReference, object: Stored, finalizer: string): readonly Action[] {
  const { finalizers = [] } = object.metadata;
  if (!finalizers.includes(finalizer)) return [];
  return [guarded(identity, object, { finalizers: finalizers.filter((one) => one !== finalizer) })];
}

/** Of this object in this version: a patch of anything else is a conflict. */
function guarded(identity: ObjectReference, { metadata }: Stored, change: JsonObject): Action {
  const { resourceVersion } = metadata;
  return { type: 'patch', identity, metadata: { uid: identity.uid, resourceVersion, ...change } };
}
