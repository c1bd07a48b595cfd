import { formatTime, isConditionTrue, setCondition } from '@kubewright/kube';
import { type Decision, isControlledBy, type Refusal } from '@kubewright/runtime';
import type { ManifestCaptureRequest, ManifestCaptureStatus } from '../api/manifest-capture-request.ts';
import { authorFaultIfInstalled } from '../authority/read-author.ts';
import { withAuthorCondition } from '../authority/with-author-condition.ts';
import type { CheckpointStatus, ManifestCheckpoint } from '../api/manifest-checkpoint.ts';
import type { ObjectKeeper } from '../api/object-keeper.ts';
import { finish } from '../requests/finish.ts';
import { type NewKeeper, newKeeper, WAIT_FOR_KEEPER_UID } from '../requests/keeper-state.ts';
import { NAMES } from '../requests/names.ts';
import {
  completeStatus,
  failedStatus,
  failureOf,
  isFinal,
  type NewCheckpoint,
  newCheckpoint,
  type NewChunk,
  newChunk,
  planned,
} from './new-checkpoint.ts';
import type { Collected } from './collect.ts';
import type { ObservedCapture } from './observed-capture.ts';

/** One write. */
export type CaptureAction =
  | { readonly type: 'createKeeper'; readonly keeper: NewKeeper }
  | { readonly type: 'createCheckpoint'; readonly checkpoint: NewCheckpoint }
  | {
      readonly type: 'createChunk';
      readonly checkpoint: ManifestCheckpoint;
      readonly index: number;
      readonly chunk: NewChunk;
    }
  | {
      readonly type: 'reportCheckpoint';
      readonly checkpoint: ManifestCheckpoint;
      readonly status: CheckpointStatus;
    };

export type CaptureDecision = Decision<CaptureAction, ManifestCaptureStatus>;

/** The next write for a ManifestCaptureRequest that is not finished. */
export function decide(observed: ObservedCapture, now: Date): CaptureDecision {
  return observed.isLate === true ? decideLate(observed, now) : decideInTime(observed, now);
}

/** What is complete stays so. Otherwise the checkpoint fails first: its resourceVersion rejects who completes it meanwhile. */
function decideLate(observed: ObservedCapture, now: Date): CaptureDecision {
  const { request, keeper, checkpoint } = observed;
  const message = lateMessage(request);
  if (checkpoint === undefined || keeper.type !== 'ours') return failed(request, message, now);
  const decision = decideCheckpoint(observed, keeper.keeper, checkpoint, now);
  const isOver = decision.status?.completionTimestamp !== undefined;
  return isOver ? decision : failCheckpoint(checkpoint, message, now);
}

function lateMessage({ spec: { deadlineSeconds } }: ManifestCaptureRequest): string {
  return `not done after ${deadlineSeconds} s`;
}

function decideInTime(observed: ObservedCapture, now: Date): CaptureDecision {
  const { request, keeper, checkpoint, author } = observed;
  if (request.spec.targets?.length === 0) return failed(request, 'no targets specified', now);
  switch (keeper.type) {
    case 'foreign':
      return failed(request, `conflict: ${keeper.message}`, now);
    case 'forbidden':
      return failed(request, keeper.message, now);
    case 'unnamed':
      return WAIT_FOR_KEEPER_UID;
    case 'absent':
      return checkpoint === undefined
        ? beginWithKeeper(request, author, now)
        : failed(request, 'the keeper was deleted', now);
    case 'ours':
      return checkpoint === undefined
        ? decideCollected(observed, keeper.keeper, now)
        : decideCheckpoint(observed, keeper.keeper, checkpoint, now);
  }
}

/** Reports Processing before the long work starts. */
function beginWithKeeper(
  request: ManifestCaptureRequest,
  author: ObservedCapture['author'],
  now: Date,
): CaptureDecision {
  const fault = authorFaultIfInstalled(author);
  if (fault !== undefined) return failed(request, `forbidden: ${fault}`, now);
  const keeper = newKeeper(request, NAMES.manifestKeeper(request.metadata.uid));
  const status = withAuthorCondition(processing(request, now), author, now);
  return { reason: 'CreateKeeper', status, action: { type: 'createKeeper', keeper }, events: [STARTED] };
}

const STARTED = { type: 'Normal', reason: 'Processing', message: 'the capture has begun' } as const;

function processing({ status }: ManifestCaptureRequest, now: Date): ManifestCaptureStatus {
  const ready = { type: 'Ready', status: 'False', reason: 'Processing', message: STARTED.message } as const;
  return { ...status, conditions: setCondition(status?.conditions ?? [], ready, formatTime(now)) };
}

function decideCollected(
  { request, collected }: ObservedCapture,
  keeper: ObjectKeeper,
  now: Date,
): CaptureDecision {
  if (collected?.type !== 'packed')
    return failed(request, collected?.message ?? 'the targets were not read', now);
  const checkpoint = newCheckpoint(request, keeper, collected.chunks, collected.leftOut);
  const status = processing(request, now);
  return { reason: 'CreateCheckpoint', status, action: { type: 'createCheckpoint', checkpoint } };
}

/** The Ready condition of the checkpoint is the commit: nothing else says that a capture is complete. */
function decideCheckpoint(
  { request, chunks }: ObservedCapture,
  keeper: ObjectKeeper,
  checkpoint: ManifestCheckpoint,
  now: Date,
): CaptureDecision {
  if (!isControlledBy(checkpoint, keeper) && !isAdopted(request, checkpoint))
    return failed(request, `conflict: ManifestCheckpoint ${checkpoint.metadata.name} has another owner`, now);
  const failure = failureOf(checkpoint);
  if (failure !== undefined) return failed(request, failure, now);
  if (isFinal(checkpoint)) return completed(request, checkpoint, now);
  if (checkpoint.metadata.deletionTimestamp !== undefined)
    return failed(request, 'the checkpoint was deleted', now);
  return decideChunks(chunks, checkpoint, now);
}

/** A complete checkpoint of this request that another owner has adopted since: its immutable spec names the request. */
function isAdopted({ metadata }: ManifestCaptureRequest, { spec, status }: ManifestCheckpoint): boolean {
  return (
    spec?.manifestCaptureRequestRef?.uid === metadata.uid && isConditionTrue(status?.conditions, 'Ready')
  );
}

function decideChunks(
  chunks: ObservedCapture['chunks'],
  checkpoint: ManifestCheckpoint,
  now: Date,
): CaptureDecision {
  if (checkpoint.spec?.plan === undefined)
    return failCheckpoint(checkpoint, 'conflict: the checkpoint has no plan', now);
  const open = chunks.find(({ type }) => type !== 'kept');
  if (open?.type === 'wrong') return failCheckpoint(checkpoint, open.message, now);
  if (open?.type === 'missing') return decideMissing(checkpoint, open.index, open.collected, now);
  const kept = chunks.flatMap((state) => (state.type === 'kept' ? [state.status] : []));
  const action = {
    type: 'reportCheckpoint',
    checkpoint,
    status: completeStatus(checkpoint, kept, now),
  } as const;
  return { reason: 'CompleteCheckpoint', action };
}

/** A chunk is written only if its content is what was planned. */
function decideMissing(
  checkpoint: ManifestCheckpoint,
  index: number,
  collected: Collected,
  now: Date,
): CaptureDecision {
  const changed = 'source changed during capture';
  if (collected.type === 'fault') return failCheckpoint(checkpoint, `${changed}: ${collected.message}`, now);
  const packed = collected.chunks[index];
  if (packed === undefined || packed.plainChecksum !== planned(checkpoint, index)?.plainChecksum)
    return failCheckpoint(checkpoint, changed, now);
  return {
    reason: 'CreateChunk',
    action: { type: 'createChunk', checkpoint, index, chunk: newChunk(checkpoint, index, packed) },
  };
}

function failCheckpoint(checkpoint: ManifestCheckpoint, message: string, now: Date): CaptureDecision {
  const action = {
    type: 'reportCheckpoint',
    checkpoint,
    status: failedStatus(checkpoint, message, now),
  } as const;
  return { reason: 'FailCheckpoint', action };
}

function completed(
  request: ManifestCaptureRequest,
  { metadata, status }: ManifestCheckpoint,
  now: Date,
): CaptureDecision {
  const message = `${status?.totalObjects ?? 0} objects are in ManifestCheckpoint ${metadata.name}`;
  const done = { ...request.status, checkpointName: metadata.name };
  return finish(done, { succeeds: true, reason: 'Completed', message }, now);
}

function failed(request: ManifestCaptureRequest, message: string, now: Date): CaptureDecision {
  const reason = message === lateMessage(request) ? 'DeadlineExceeded' : 'Failed';
  return finish(request.status ?? {}, { succeeds: false, reason, message }, now);
}

/** A permanent rejection by the server ends the request. */
export function captureRefused(
  { request }: ObservedCapture,
  { message }: Refusal,
  now: Date,
): Decision<never, ManifestCaptureStatus> {
  return finish(request.status ?? {}, { succeeds: false, reason: 'Failed', message }, now);
}
