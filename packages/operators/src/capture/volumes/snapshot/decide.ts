import { ownerReferenceTo } from '@kubewright/kube';
import { type Decision, isControlledBy } from '@kubewright/runtime';
import { authorFaultIfInstalled } from '../../authority/read-author.ts';
import { withAuthorCondition } from '../../authority/with-author-condition.ts';
import type { ObjectKeeper } from '../../api/object-keeper.ts';
import type { SnapshotContent, StoredContent } from '../../api/snapshots.ts';
import type { VolumeCaptureRequest, VolumeCaptureStatus } from '../../api/volume-capture-request.ts';
import { finish } from '../../requests/finish.ts';
import { type NewKeeper, newKeeper, WAIT_FOR_KEEPER_UID } from '../../requests/keeper-state.ts';
import { NAMES } from '../../requests/names.ts';
import { foundIn } from '../../requests/read-live.ts';
import { claimFault } from '../claim-fault.ts';
import { deadlineFault, endsOnError, errorIn, nextLook } from '../deadline-fault.ts';
import type { Fault } from '../volume-reason.ts';
import { withinDeadline } from '../within-deadline.ts';
import { newContent } from './new-content.ts';
import type { ObservedSnapshot, Source } from './observed-snapshot.ts';
import { snappable } from './snappable.ts';

/** One write. */
export type SnapshotAction =
  | { readonly type: 'createKeeper'; readonly keeper: NewKeeper }
  | { readonly type: 'createContent'; readonly content: SnapshotContent };

export type SnapshotDecision = Decision<SnapshotAction, VolumeCaptureStatus>;

/** The next write for a VolumeCaptureRequest that is not finished. */
export function decide(observed: ObservedSnapshot, now: Date): SnapshotDecision {
  return withinDeadline(observed.request, decideNext(observed, now), now);
}

function decideNext(observed: ObservedSnapshot, now: Date): SnapshotDecision {
  const { request, keeper, content } = observed;
  switch (keeper.type) {
    case 'foreign':
      return failed(request, { reason: 'Conflict', message: keeper.message }, now);
    case 'forbidden':
      return failed(request, { reason: 'RBACDenied', message: keeper.message }, now);
    case 'unnamed':
      return WAIT_FOR_KEEPER_UID;
    case 'absent':
      return decideWithoutKeeper(observed, now);
    case 'ours':
      return content === undefined
        ? decideWithoutContent(observed, keeper.keeper, now)
        : decideContent(observed, keeper.keeper, content, now);
  }
}

function decideWithoutKeeper(
  { request, content, source, author }: ObservedSnapshot,
  now: Date,
): SnapshotDecision {
  if (request.status?.progress !== undefined || content !== undefined)
    return failed(request, { reason: 'NotFound', message: 'the keeper was deleted' }, now);
  const fault = authorFaultIfInstalled(author);
  if (fault !== undefined) return failed(request, { reason: 'RBACDenied', message: fault }, now);
  const wanted = snappable(request, source);
  if ('reason' in wanted) return failed(request, wanted, now);
  const keeper = newKeeper(request, NAMES.captureKeeper(request.metadata.uid));
  const begun = { reason: 'CreateKeeper', action: { type: 'createKeeper', keeper } } as const;
  const { status = {} } = request;
  const noted = withAuthorCondition(status, author, now);
  return noted === status ? begun : { ...begun, status: noted };
}

function decideWithoutContent(
  { request, source }: ObservedSnapshot,
  keeper: ObjectKeeper,
  now: Date,
): SnapshotDecision {
  if (request.status?.progress?.artifactUID !== undefined)
    return failed(request, { reason: 'NotFound', message: 'the snapshot was deleted' }, now);
  const wanted = snappable(request, source);
  if ('reason' in wanted) return failed(request, wanted, now);
  const content = newContent(request, keeper, wanted);
  return {
    reason: 'CreateSnapshot',
    status: { ...request.status, progress: { keeperUID: keeper.metadata.uid } },
    action: { type: 'createContent', content },
    events: [{ type: 'Normal', reason: 'CreatingSnapshot', message: `of volume ${wanted.volumeHandle}` }],
  };
}

/** From here on only the snapshot matters. */
function decideContent(
  { request, source }: ObservedSnapshot,
  keeper: ObjectKeeper,
  content: StoredContent,
  now: Date,
): SnapshotDecision {
  const { uid } = content.metadata;
  const fault = contentFault(request, keeper, content) ?? volumeFault(request, source, content);
  if (fault !== undefined) return failed(request, fault, now);
  if (content.status?.readyToUse === true) return completed(request, content, now);
  const error = errorIn(content.status);
  if (error !== undefined && endsOnError(request))
    return failed(request, { reason: 'SnapshotCreationFailed', message: error }, now, content);
  const message = error ?? 'the snapshot is not ready';
  const late = deadlineFault(request, message, now);
  if (late !== undefined) return failed(request, late, now, content);
  const progress = { keeperUID: keeper.metadata.uid, artifactUID: uid, message };
  return {
    reason: 'WaitForSnapshot',
    status: { ...request.status, progress },
    requeueAfter: nextLook(request, now),
  };
}

/** Why a content is not this request's, or will not stay. */
function contentFault(
  { status }: VolumeCaptureRequest,
  keeper: ObjectKeeper,
  content: StoredContent,
): Fault | undefined {
  const { name, uid, deletionTimestamp } = content.metadata;
  // A content of ours that another owner has adopted since is still this request's.
  if (!isControlledBy(content, keeper) && uid !== status?.progress?.artifactUID)
    return { reason: 'Conflict', message: `VolumeSnapshotContent ${name} has another owner` };
  return deletionTimestamp === undefined
    ? undefined
    : { reason: 'NotFound', message: 'the snapshot is being deleted' };
}

/**
 * A content that the request sees for the first time has to be of its claim's volume, whoever owns it. Where the claim is
 * gone or was replaced since, its owner is all that tells.
 */
function volumeFault(
  request: VolumeCaptureRequest,
  source: Source,
  content: StoredContent,
): Fault | undefined {
  const csi = foundIn(source.volume)?.spec.csi;
  if (csi === undefined || claimFault(request, source.claim) !== undefined) return undefined;
  const { driver, source: snapped } = content.spec;
  if (driver === csi.driver && snapped.volumeHandle === csi.volumeHandle) return undefined;
  return {
    reason: 'Conflict',
    message: `VolumeSnapshotContent ${content.metadata.name} is not of volume ${csi.volumeHandle} of driver ${csi.driver}`,
  };
}

function completed(request: VolumeCaptureRequest, content: StoredContent, now: Date): SnapshotDecision {
  const message = `the snapshot is VolumeSnapshotContent ${content.metadata.name}`;
  const outcome = { succeeds: true, reason: 'Completed', message };
  return finish(withArtifact(request, content), outcome, now);
}

function failed(
  request: VolumeCaptureRequest,
  { reason, message }: Fault,
  now: Date,
  content?: StoredContent,
): SnapshotDecision {
  const status = content === undefined ? (request.status ?? {}) : withArtifact(request, content);
  return finish(status, { succeeds: false, reason, message }, now);
}

function withArtifact({ status }: VolumeCaptureRequest, content: StoredContent): VolumeCaptureStatus {
  return { ...status, data: { artifactRef: ownerReferenceTo(content) } };
}
