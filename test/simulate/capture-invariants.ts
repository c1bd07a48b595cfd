import { gunzipSync } from 'node:zlib';
import type { History, Scenario, Written } from '@kubewright/cluster';
import {
  canonicalJson,
  controllerOf,
  type corev1,
  isConditionTrue,
  jsonEqual,
  type Json,
  parseJson,
  type Stored,
} from '@kubewright/kube';
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

const statusOf = ({ object }: Written): Json => object['status'] ?? null;
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

/** Requests as they were when they were found to be Completed. */
function completed({ all }: History, resource: string): readonly Written[] {
  return all.filter((write) => {
    const { status } = write.object as ManifestCaptureRequest;
    return (
      write.resource === resource && write.type !== 'DELETED' && isConditionTrue(status?.conditions, 'Ready')
    );
  });
}

/** A Completed capture names a checkpoint that is Ready, and that one has all chunks as they were planned. */
function partialCheckpoint(history: History): string | undefined {
  return firstOf(completed(history, 'manifestcapturerequests'), (write) => {
    const { status, metadata } = write.object as ManifestCaptureRequest;
    const found = before(history, write, 'manifestcheckpoints', status?.checkpointName ?? '');
    if (found === undefined || found.type === 'DELETED') return undefined;
    const checkpoint = found.object as ManifestCheckpoint;
    if (!isConditionTrue(checkpoint.status?.conditions, 'Ready'))
      return `${metadata.name} is Completed, its checkpoint is not Ready`;
    return chunkFault(history, found, checkpoint);
  });
}

/** A Completed capture has each object as it was stored at some time, to the last byte. */
function inexactCapture(history: History): string | undefined {
  const stored = new Map(
    history.all.map(({ object }) => [`${object.metadata.uid} ${object.metadata.resourceVersion}`, object]),
  );
  return firstOf(completed(history, 'manifestcapturerequests'), (write) => {
    const { checkpointName = '' } = (write.object as ManifestCaptureRequest).status ?? {};
    const chunks = history.all.filter(
      ({ resource, object }) =>
        resource === 'manifestcheckpointcontentchunks' &&
        (object as ContentChunk).spec.checkpointName === checkpointName,
    );
    return firstOf(chunks.flatMap(objectsIn), (object) => {
      const { name, uid, resourceVersion } = object.metadata;
      const original = stored.get(`${uid} ${resourceVersion}`);
      return original !== undefined && canonicalJson(object) === canonicalJson(original)
        ? undefined
        : `${checkpointName} has a ${object.kind} ${name} that never was`;
    });
  });
}

function objectsIn({ object }: Written): readonly Stored[] {
  const content = parseJson(gunzipSync(Buffer.from((object as ContentChunk).spec.data, 'base64')));
  return content as unknown as readonly Stored[];
}

function firstOf<T>(items: readonly T[], faultOf: (item: T) => string | undefined): string | undefined {
  for (const item of items) {
    const fault = faultOf(item);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function chunkFault(history: History, write: Written, checkpoint: ManifestCheckpoint): string | undefined {
  const planned = checkpoint.spec?.plan?.chunks ?? [];
  const chunks = checkpoint.status?.chunks ?? [];
  if (chunks.length !== planned.length)
    return `${checkpoint.metadata.name} has ${chunks.length} chunks of ${planned.length}`;
  return firstOf(chunks, ({ name, index }) => {
    const chunk = before(history, write, 'manifestcheckpointcontentchunks', name);
    if (chunk === undefined) return `chunk ${name} was never written`;
    const judged = judgeChunk(checkpoint, index, chunk.object as ContentChunk);
    return judged.type === 'wrong' ? judged.message : undefined;
  });
}

/**
 * One keeper per request, and of each kind one artifact per keeper. A write that was long on its way may land when its
 * owner is gone: that is collected once more.
 */
function madeTwice({ all }: History): string | undefined {
  const made = new Map<string, string>();
  const gone = new Set<string>();
  for (const write of all) {
    const { resource, object, type } = write;
    if (type === 'DELETED') gone.add(uidOf(write));
    const owner = type === 'ADDED' ? ownerOf(write) : undefined;
    if (owner === undefined || gone.has(owner)) continue;
    const key = `${resource}/${owner}`;
    const first = made.get(key);
    if (first !== undefined) return `${object.kind} ${object.metadata.name} after ${first}`;
    made.set(key, object.metadata.name);
  }
  return undefined;
}

/** The uid of what an object may be made for once. */
function ownerOf({ resource, object }: Written): string | undefined {
  if (resource === 'objectkeepers') return (object as ObjectKeeper).spec.followObjectRef?.uid;
  if (resource === 'manifestcheckpoints' || resource === 'volumesnapshotcontents')
    return controllerOf(object)?.uid;
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
  return firstOf(completed(history, 'volumecapturerequests'), (write) => {
    const { status, metadata, spec } = write.object as VolumeCaptureRequest;
    if (spec.mode !== 'Snapshot') return undefined;
    const content = before(history, write, 'volumesnapshotcontents', status?.data?.artifactRef.name ?? '');
    const { readyToUse } = (content?.object['status'] ?? {}) as { readonly readyToUse?: boolean };
    return readyToUse === true ? undefined : `${metadata.name} is Completed before its snapshot is ready`;
  });
}

type Volume = Stored<corev1.PersistentVolume>;

/** The claim of a detach request goes only when its volume does not go with it. */
function lostWithClaim(history: History): string | undefined {
  const going = history.all.filter(
    ({ resource, type, object }) =>
      resource === 'persistentvolumeclaims' &&
      object.metadata.name.startsWith('detach-') &&
      (type === 'DELETED' || object.metadata.deletionTimestamp !== undefined),
  );
  return firstOf(going, (write) => {
    const { spec, metadata } = write.object as Stored<corev1.PersistentVolumeClaim>;
    const volume = before(history, write, 'persistentvolumes', spec.volumeName ?? '')?.object as
      | Volume
      | undefined;
    return volume?.spec.persistentVolumeReclaimPolicy === 'Retain'
      ? undefined
      : `${metadata.name} was deleted while its volume would not be kept`;
  });
}

function isDetached(volume: Volume | undefined, requestUid: string, keeperUid: string | undefined): boolean {
  if (volume === undefined || controllerOf(volume)?.uid !== keeperUid) return false;
  const { persistentVolumeReclaimPolicy, claimRef } = volume.spec;
  return persistentVolumeReclaimPolicy === 'Retain' && claimRef?.uid === requestUid;
}

/** A detached volume belongs to the request's keeper, is kept, and is bound to no claim that can exist. */
function notDetached(history: History): string | undefined {
  return firstOf(completed(history, 'volumecapturerequests'), (write) => {
    const { status, metadata, spec } = write.object as VolumeCaptureRequest;
    if (spec.mode !== 'Detach') return undefined;
    const found = before(history, write, 'persistentvolumes', status?.data?.artifactRef.name ?? '');
    const volume = found?.object as Volume | undefined;
    return isDetached(volume, metadata.uid, status?.progress?.keeperUID)
      ? undefined
      : `${metadata.name} is Completed, its volume is not detached`;
  });
}

export const captureInvariants: Scenario['invariants'] = {
  'what is finished stays as it is': finishedChanged,
  'Ready and the time of completion come together': halfFinished,
  'a Completed capture is whole': partialCheckpoint,
  'a Completed capture is exact': inexactCapture,
  'nothing is made twice': madeTwice,
  'a keeper outlives what it follows': keeperGoneEarly,
  'owners have uids': ownerWithoutUid,
  'a Completed snapshot is ready': unreadySnapshot,
  'a volume outlives its claim': lostWithClaim,
  'a Completed detach has a detached volume': notDetached,
};
