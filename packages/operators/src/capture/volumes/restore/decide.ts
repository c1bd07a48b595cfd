import { type corev1, type KubeObject, ownerReferenceTo, type Stored } from '@kubewright/kube';
import { type Decision, isControlledBy } from '@kubewright/runtime';
import { ANNOTATIONS } from '../../api/annotations.ts';
import { authorFault, authorFaultIfInstalled } from '../../authority/read-author.ts';
import { withAuthorCondition } from '../../authority/with-author-condition.ts';
import type { ObjectKeeper } from '../../api/object-keeper.ts';
import type { Snapshot, SnapshotContent } from '../../api/snapshots.ts';
import {
  isFromElsewhere,
  type VolumeRestoreRequest,
  type VolumeRestoreStatus,
} from '../../api/volume-restore-request.ts';
import { finish } from '../../requests/finish.ts';
import { type NewKeeper, newKeeper, WAIT_FOR_KEEPER_UID } from '../../requests/keeper-state.ts';
import { NAMES } from '../../requests/names.ts';
import { deadlineFault, endsOnError, nextLook } from '../deadline-fault.ts';
import { failRequest } from '../fail-request.ts';
import type { Fault } from '../volume-reason.ts';
import { withinDeadline } from '../within-deadline.ts';
import { newClaim, newContent, newSnapshot } from './new-claim.ts';
import type { ObservedRestore } from './observed-restore.ts';
import { type Restorable, restorable } from './restorable.ts';

/** One write. */
export type RestoreAction =
  | { readonly type: 'createKeeper'; readonly keeper: NewKeeper }
  | { readonly type: 'createContent'; readonly content: SnapshotContent }
  | { readonly type: 'createSnapshot'; readonly snapshot: Snapshot }
  | { readonly type: 'createClaim'; readonly claim: corev1.PersistentVolumeClaim };

export type RestoreDecision = Decision<RestoreAction, VolumeRestoreStatus>;

type Claim = Stored<corev1.PersistentVolumeClaim>;

/** The next write for a VolumeRestoreRequest that is not finished. */
export function decide(observed: ObservedRestore, now: Date): RestoreDecision {
  return withinDeadline(observed.request, decideNext(observed, now), now);
}

function decideNext(observed: ObservedRestore, now: Date): RestoreDecision {
  const { request, keeper, claim } = observed;
  switch (keeper.type) {
    case 'foreign':
      return failRequest(request, { reason: 'Conflict', message: keeper.message }, now);
    case 'forbidden':
      return failRequest(request, { reason: 'RBACDenied', message: keeper.message }, now);
    case 'unnamed':
      return WAIT_FOR_KEEPER_UID;
    case 'absent':
      return decideWithoutKeeper(observed, now);
    case 'ours':
      return claim === undefined
        ? decideWithoutClaim(observed, keeper.keeper, now)
        : decideClaim(observed, keeper.keeper, claim, now);
  }
}

function decideWithoutKeeper(
  { request, claim, passage, author }: ObservedRestore,
  now: Date,
): RestoreDecision {
  if (request.status?.progress !== undefined)
    return failRequest(request, { reason: 'NotFound', message: 'the keeper was deleted' }, now);
  if (claim !== undefined) return failRequest(request, foreignClaim(claim), now);
  // Nothing else keeps the data of a namespace in it.
  const isStrict = isFromElsewhere(request, request.metadata.namespace);
  const fault = isStrict ? authorFault(author) : authorFaultIfInstalled(author);
  if (fault !== undefined) return failRequest(request, { reason: 'RBACDenied', message: fault }, now);
  const wanted = restorable(request, passage);
  if ('reason' in wanted) return failRequest(request, wanted, now);
  const keeper = newKeeper(request, NAMES.restoreKeeper(request.metadata.uid));
  const begun = { reason: 'CreateKeeper', action: { type: 'createKeeper', keeper } } as const;
  const { status = {} } = request;
  const noted = withAuthorCondition(status, author, now);
  return noted === status ? begun : { ...begun, status: noted };
}

function decideWithoutClaim(
  { request, passage }: ObservedRestore,
  keeper: ObjectKeeper,
  now: Date,
): RestoreDecision {
  if (request.status?.progress?.artifactUID !== undefined)
    return failRequest(request, { reason: 'RestoreFailed', message: 'the claim was deleted' }, now);
  const wanted = restorable(request, passage);
  if ('reason' in wanted) return failRequest(request, wanted, now);
  if ('waitsFor' in wanted) return waitFor(request, keeper, wanted.waitsFor, now);
  const fault = passageFault(passage, keeper, wanted);
  if (fault !== undefined) return failRequest(request, fault, now);
  const status = { ...request.status, progress: { keeperUID: keeper.metadata.uid } };
  if (passage.content === undefined)
    return {
      reason: 'CreateContent',
      status,
      action: { type: 'createContent', content: newContent(request, keeper, wanted) },
    };
  if (passage.snapshot === undefined)
    return {
      reason: 'CreateSnapshot',
      status,
      action: { type: 'createSnapshot', snapshot: newSnapshot(request, keeper) },
    };
  const claim = newClaim(request, keeper, wanted);
  const message = `PersistentVolumeClaim ${claim.metadata.name} of snapshot ${wanted.source.metadata.name}`;
  return {
    reason: 'CreateClaim',
    status,
    action: { type: 'createClaim', claim },
    events: [{ type: 'Normal', reason: 'CreatingClaim', message }],
  };
}

/** Why what already has the names of content and snapshot would not give the claim the content of the source. */
function passageFault(
  { content, snapshot }: ObservedRestore['passage'],
  keeper: ObjectKeeper,
  { source, snapshotHandle }: Restorable,
): Fault | undefined {
  const foreign = [content, snapshot].find(
    (object) => object !== undefined && !isControlledBy(object, keeper),
  );
  if (foreign !== undefined) return otherOwner(foreign);
  if (content === undefined) return undefined;
  const { driver, source: of } = content.spec;
  if (driver === source.spec.driver && of.snapshotHandle === snapshotHandle) return undefined;
  return {
    reason: 'Conflict',
    message: `VolumeSnapshotContent ${content.metadata.name} is not of snapshot ${snapshotHandle}`,
  };
}

/** From here on only the claim matters. */
function decideClaim(
  observed: ObservedRestore,
  keeper: ObjectKeeper,
  claim: Claim,
  now: Date,
): RestoreDecision {
  const { request, volume, failure } = observed;
  const { uid, name } = claim.metadata;
  const fault = faultOf(observed, claim);
  if (fault !== undefined) return failRequest(request, fault, now);
  if (isBound(claim) && volume !== undefined) return completed(request, claim, now);
  const message = failure?.message ?? `PersistentVolumeClaim ${name} is not bound`;
  return waitFor(request, keeper, message, now, uid);
}

/** Why a claim will not have the content of the request's source. */
function faultOf({ request, volume, failure }: ObservedRestore, claim: Claim): Fault | undefined {
  if (claim.metadata.annotations?.[ANNOTATIONS.restoreUid] !== request.metadata.uid)
    return foreignClaim(claim);
  const ends = failure?.permanent === true && endsOnError(request);
  const lost = lossOf(claim) ?? (ends ? failure.message : undefined);
  return lost === undefined ? bindingFault(claim, volume) : { reason: 'RestoreFailed', message: lost };
}

function bindingFault(claim: Claim, volume: ObservedRestore['volume']): Fault | undefined {
  const isAnothers = volume !== undefined && volume.spec.claimRef?.uid !== claim.metadata.uid;
  if (!isAnothers || !isBound(claim)) return undefined;
  return {
    reason: 'Conflict',
    message: `PersistentVolume ${volume.metadata.name} is bound to another claim`,
  };
}

function isBound({ status }: Claim): boolean {
  return status?.phase === 'Bound';
}

function lossOf({ metadata, status }: Claim): string | undefined {
  const title = `PersistentVolumeClaim ${metadata.name}`;
  if (metadata.deletionTimestamp !== undefined) return `${title} is being deleted`;
  return status?.phase === 'Lost' ? `${title} has lost its volume` : undefined;
}

function foreignClaim({ metadata: { name } }: Claim): Fault {
  return {
    reason: 'Conflict',
    message: `PersistentVolumeClaim ${name} exists and was not made for this request`,
  };
}

function otherOwner({ kind, metadata: { name } }: KubeObject): Fault {
  return { reason: 'Conflict', message: `${kind} ${name} has another owner` };
}

function waitFor(
  request: VolumeRestoreRequest,
  keeper: ObjectKeeper,
  message: string,
  now: Date,
  artifactUID?: string,
): RestoreDecision {
  const late = deadlineFault(request, message, now);
  if (late !== undefined) return failRequest(request, late, now);
  const progress = { keeperUID: keeper.metadata.uid, ...(artifactUID && { artifactUID }), message };
  return { reason: 'Wait', status: { ...request.status, progress }, requeueAfter: nextLook(request, now) };
}

function completed(request: VolumeRestoreRequest, claim: Claim, now: Date): RestoreDecision {
  const { apiVersion, kind, name, uid } = ownerReferenceTo(claim);
  const { namespace } = claim.metadata;
  const status = { ...request.status, pvcRef: { apiVersion, kind, namespace, name, uid } };
  const message = `PersistentVolumeClaim ${name} has the content of ${request.spec.sourceRef.name}`;
  return finish(status, { succeeds: true, reason: 'Completed', message }, now);
}
