import { ownerReferenceTo, type corev1, type JsonObject, type Stored } from '@kubewright/kube';
import { type Decision, isControlledBy } from '@kubewright/runtime';
import type { ObjectKeeper } from '../../api/object-keeper.ts';
import type { VolumeCaptureRequest, VolumeCaptureStatus } from '../../api/volume-capture-request.ts';
import { authorFault } from '../../authority/read-author.ts';
import { finish } from '../../requests/finish.ts';
import { type NewKeeper, newKeeper, WAIT_FOR_KEEPER_UID } from '../../requests/keeper-state.ts';
import { NAMES } from '../../requests/names.ts';
import { foundIn } from '../../requests/read-live.ts';
import { deadlineFault, nextLook } from '../deadline-fault.ts';
import { readFault } from '../read-fault.ts';
import { failRequest } from '../fail-request.ts';
import type { Fault } from '../volume-reason.ts';
import { withinDeadline } from '../within-deadline.ts';
import { boundElsewhere, detachable, foreignOwner, targetClaim, type Volume } from './detachable.ts';
import type { ObservedDetach } from './observed-detach.ts';
import { release } from './release.ts';

type Claim = Stored<corev1.PersistentVolumeClaim>;

/** One write. */
export type DetachAction =
  | { readonly type: 'createKeeper'; readonly keeper: NewKeeper }
  | { readonly type: 'patchVolume'; readonly name: string; readonly body: JsonObject }
  | { readonly type: 'deleteClaim'; readonly claim: Claim };

export type DetachDecision = Decision<DetachAction, VolumeCaptureStatus>;

/** The next write for a VolumeCaptureRequest of mode Detach that is not finished. */
export function decide(observed: ObservedDetach, now: Date): DetachDecision {
  const decision = decideNext(observed, now);
  // Once its claim may be gone, a volume is taken to its safe place, however late it is.
  const hasBegun = observed.request.status?.progress?.volumeName !== undefined;
  return hasBegun ? decision : withinDeadline(observed.request, decision, now);
}

function decideNext(observed: ObservedDetach, now: Date): DetachDecision {
  const { request, keeper } = observed;
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
      return request.status?.progress?.volumeName === undefined
        ? begin(observed, keeper.keeper, now)
        : goOn(observed, keeper.keeper, now);
  }
}

function decideWithoutKeeper(observed: ObservedDetach, now: Date): DetachDecision {
  const { request, author } = observed;
  if (request.status?.progress !== undefined)
    return failRequest(request, { reason: 'NotFound', message: 'the keeper was deleted' }, now);
  const fault = authorFault(author);
  if (fault !== undefined) return failRequest(request, { reason: 'RBACDenied', message: fault }, now);
  const volume = detachable(observed);
  if ('reason' in volume) return failRequest(request, volume, now);
  const keeper = newKeeper(request, NAMES.detachKeeper(request.metadata.uid));
  return { reason: 'CreateKeeper', action: { type: 'createKeeper', keeper } };
}

/** Records the volume with the first write: when the claim is gone, nothing else names it. */
function begin(observed: ObservedDetach, keeper: ObjectKeeper, now: Date): DetachDecision {
  const { request } = observed;
  const volume = detachable(observed);
  const claim = targetClaim(observed);
  if ('reason' in volume) return failRequest(request, volume, now);
  if (claim === undefined) return failRequest(request, claimGone(request), now);
  const { name, uid } = volume.metadata;
  const progress = { keeperUID: keeper.metadata.uid, artifactUID: uid, volumeName: name };
  const message = `PersistentVolume ${name} of PersistentVolumeClaim ${claim.metadata.name}`;
  return {
    ...nextWrite(volume, claim),
    status: { ...request.status, progress },
    events: [{ type: 'Normal', reason: 'DetachingVolume', message }],
  };
}

function claimGone({ spec: { target } }: VolumeCaptureRequest): Fault {
  return { reason: 'NotFound', message: `PersistentVolumeClaim ${target?.name} not found` };
}

/** From here on the volume counts, and the claim only while it is the one that was asked for. */
function goOn(observed: ObservedDetach, keeper: ObjectKeeper, now: Date): DetachDecision {
  const { request } = observed;
  const volume = recordedVolume(observed);
  if ('reason' in volume) return failRequest(request, volume, now);
  if (isControlledBy(volume, keeper)) return completed(request, volume, now);
  const claim = targetClaim(observed);
  const fault = takenFault(request, volume);
  if (fault !== undefined) return failRequest(request, fault, now);
  if (isRetained(volume) && claim === undefined)
    return { reason: 'ReleaseVolume', action: patch(volume, release(request, keeper, volume)) };
  if (isRetained(volume) && claim?.metadata.deletionTimestamp !== undefined)
    return waitFor(request, `PersistentVolumeClaim ${claim.metadata.name} is still used`, now);
  return nextWrite(volume, claim);
}

/** Why a volume is no longer the request's to take. */
function takenFault(request: VolumeCaptureRequest, volume: Volume): Fault | undefined {
  const foreign = foreignOwner(volume);
  return foreign ?? (isReleased(request, volume) ? undefined : boundElsewhere(request, volume));
}

function recordedVolume({ request, volume: read }: ObservedDetach): Volume | Fault {
  const { volumeName, artifactUID } = request.status?.progress ?? {};
  const title = `PersistentVolume ${volumeName}`;
  const volume = foundIn(read);
  if (volume?.metadata.uid === artifactUID && volume !== undefined) return volume;
  const replaced: Fault = { reason: 'NotFound', message: `${title} was replaced` };
  return readFault(read, title) ?? replaced;
}

/** Retain first: with any other policy the volume would be deleted once its claim is. */
function nextWrite(volume: Volume, claim: Claim | undefined): DetachDecision {
  if (isRetained(volume) && claim !== undefined)
    return { reason: 'DeleteClaim', action: { type: 'deleteClaim', claim } };
  const { resourceVersion } = volume.metadata;
  const body = { metadata: { resourceVersion }, spec: { persistentVolumeReclaimPolicy: RETAIN } };
  return { reason: 'RetainVolume', action: patch(volume, body) };
}

const RETAIN = 'Retain';

function isRetained({ spec }: Volume): boolean {
  return spec.persistentVolumeReclaimPolicy === RETAIN;
}

/** Somebody else's webhook may have taken the owner out of the write that released it. */
function isReleased({ metadata: { uid } }: VolumeCaptureRequest, { spec }: Volume): boolean {
  return spec.claimRef?.uid === uid;
}

function patch({ metadata: { name } }: Volume, body: JsonObject): DetachAction {
  return { type: 'patchVolume', name, body };
}

function waitFor(request: VolumeCaptureRequest, message: string, now: Date): DetachDecision {
  const late = deadlineFault(request, message, now);
  if (late !== undefined) return failRequest(request, late, now);
  const { progress } = request.status ?? {};
  const status = { ...request.status, ...(progress && { progress: { ...progress, message } }) };
  return { reason: 'WaitForClaim', status, requeueAfter: nextLook(request, now) };
}

function completed(request: VolumeCaptureRequest, volume: Volume, now: Date): DetachDecision {
  const status = { ...request.status, data: { artifactRef: ownerReferenceTo(volume) } };
  const message = `PersistentVolume ${volume.metadata.name} is detached from PersistentVolumeClaim ${request.spec.target?.name}`;
  return finish(status, { succeeds: true, reason: 'Completed', message }, now);
}
