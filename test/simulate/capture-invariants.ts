import type { History, Scenario, Written } from '@kubewright/cluster';
import { controllerOf, isConditionTrue, jsonEqual, type Json } from '@kubewright/kube';
import {
  type ContentChunk,
  judgeChunk,
  type ManifestCaptureRequest,
  type ManifestCheckpoint,
  type ObjectKeeper,
  type VolumeCaptureRequest,
} from '@kubewright/operators';

const REQUESTS = ['manifestcapturerequests', 'volumecapturerequests', 'volumerestorerequests'];

type Status = { readonly completionTimestamp?: string } | undefined;

const statusOf = ({ object }: Written): Json => (object['status'] as Json | undefined) ?? null;
const uidOf = ({ object }: Written): string => object.metadata.uid;

/** A request that is finished stays as it is, also when two managers write. */
function finishedChanged({ all }: History): string | undefined {
  const ends = new Map<string, Json>();
  for (const write of all) {
    if (!REQUESTS.includes(write.resource) || write.type === 'DELETED') continue;
    const status = statusOf(write);
    const end = ends.get(uidOf(write));
    if (end !== undefined && !jsonEqual(end, status))
      return `${write.object.metadata.name} was written again: ${JSON.stringify(status)}`;
    if ((status as Status)?.completionTimestamp !== undefined) ends.set(uidOf(write), status);
  }
  return undefined;
}

/** Ready and the time of completion come together, and Processing is no end. */
function halfFinished({ all }: History): string | undefined {
  for (const write of all) {
    if (!REQUESTS.includes(write.resource)) continue;
    const { conditions = [], completionTimestamp } = (write.object as ManifestCaptureRequest).status ?? {};
    const isEnd = conditions.some(({ reason }) => reason !== 'Processing');
    if (conditions.length > 1 || isEnd !== (completionTimestamp !== undefined))
      return `${write.object.metadata.name}: ${JSON.stringify(conditions)} at ${completionTimestamp}`;
  }
  return undefined;
}

/** What was stored under a name before a write. */
function before({ all }: History, write: Written, resource: string, name: string): Written | undefined {
  const earlier = all.slice(0, all.indexOf(write));
  return earlier.findLast((one) => one.resource === resource && one.object.metadata.name === name);
}

/** A Completed capture names a checkpoint that is Ready, and that one has all chunks as they were planned. */
function partialCheckpoint(history: History): string | undefined {
  for (const write of history.all) {
    if (write.resource !== 'manifestcapturerequests' || write.type !== 'MODIFIED') continue;
    const { status } = write.object as ManifestCaptureRequest;
    if (!isConditionTrue(status?.conditions, 'Ready')) continue;
    const found = before(history, write, 'manifestcheckpoints', status?.checkpointName ?? '');
    if (found === undefined || found.type === 'DELETED') continue;
    const checkpoint = found.object as ManifestCheckpoint;
    if (!isConditionTrue(checkpoint.status?.conditions, 'Ready'))
      return `${write.object.metadata.name} is Completed, its checkpoint is not Ready`;
    const fault = chunkFault(history, found, checkpoint);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function chunkFault(history: History, write: Written, checkpoint: ManifestCheckpoint): string | undefined {
  const planned = checkpoint.spec?.plan?.chunks.length ?? 0;
  const { chunks = [] } = checkpoint.status ?? {};
  if (chunks.length !== planned)
    return `${checkpoint.metadata.name} has ${chunks.length} chunks of ${planned}`;
  for (const { name, index } of chunks) {
    const chunk = before(history, write, 'manifestcheckpointcontentchunks', name)?.object as
      | ContentChunk
      | undefined;
    if (chunk === undefined) return `chunk ${name} was never written`;
    const judged = judgeChunk(checkpoint, index, chunk);
    if (judged.type === 'wrong') return judged.message;
  }
  return undefined;
}

/** One keeper per request, and of each kind one artifact per keeper. */
function madeTwice({ all }: History): string | undefined {
  const made = new Map<string, string>();
  for (const { resource, object, type } of all) {
    if (type !== 'ADDED') continue;
    const owner =
      resource === 'objectkeepers'
        ? (object as ObjectKeeper).spec.followObjectRef?.uid
        : ['manifestcheckpoints', 'volumesnapshotcontents'].includes(resource)
          ? controllerOf(object)?.uid
          : undefined;
    if (owner === undefined) continue;
    const key = `${resource}/${owner}`;
    const first = made.get(key);
    if (first !== undefined) return `${object.kind} ${object.metadata.name} after ${first}`;
    made.set(key, object.metadata.name);
  }
  return undefined;
}

/** A keeper takes its artifacts along, so it outlives what it follows. */
function keeperGoneEarly({ all }: History): string | undefined {
  const gone = new Set<string>();
  for (const write of all) {
    if (write.type !== 'DELETED') continue;
    gone.add(uidOf(write));
    if (write.resource !== 'objectkeepers') continue;
    const { uid = '', name = '' } = (write.object as ObjectKeeper).spec.followObjectRef ?? {};
    if (!gone.has(uid)) return `${write.object.metadata.name} went before ${name}`;
  }
  return undefined;
}

/** The garbage collector ignores an owner without a uid. */
function ownerWithoutUid({ all }: History): string | undefined {
  const found = all.find(({ object }) => object.metadata.ownerReferences?.some(({ uid }) => uid === ''));
  return found && `${found.object.kind} ${found.object.metadata.name}`;
}

/** A Completed snapshot was ready. */
function unreadySnapshot(history: History): string | undefined {
  for (const write of history.all) {
    if (write.resource !== 'volumecapturerequests') continue;
    const { status } = write.object as VolumeCaptureRequest;
    if (!isConditionTrue(status?.conditions, 'Ready')) continue;
    const content = before(history, write, 'volumesnapshotcontents', status?.data?.artifactRef.name ?? '');
    const { readyToUse } = (content?.object['status'] ?? {}) as { readonly readyToUse?: boolean };
    if (readyToUse !== true) return `${write.object.metadata.name} is Completed before its snapshot is ready`;
  }
  return undefined;
}

export const captureInvariants: Scenario['invariants'] = {
  'what is finished stays as it is': finishedChanged,
  'Ready and the time of completion come together': halfFinished,
  'a Completed capture is whole': partialCheckpoint,
  'nothing is made twice': madeTwice,
  'a keeper outlives what it follows': keeperGoneEarly,
  'owners have uids': ownerWithoutUid,
  'a Completed snapshot is ready': unreadySnapshot,
};
