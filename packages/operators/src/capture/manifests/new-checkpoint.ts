import { formatTime, isConditionTrue, jsonEqual, setCondition } from '@kubewright/kube';
import { isControlledBy } from '@kubewright/runtime';
import { ANNOTATIONS, LABELS, MANIFEST_GROUP, VERSION } from '../api/annotations.ts';
import { CONTENT_CHUNKS, type ContentChunk } from '../api/content-chunk.ts';
import type { ManifestCaptureRequest } from '../api/manifest-capture-request.ts';
import {
  type CheckpointPlan,
  type CheckpointStatus,
  type ChunkStatus,
  type LeftOutObjects,
  MANIFEST_CHECKPOINTS,
  type ManifestCheckpoint,
} from '../api/manifest-checkpoint.ts';
import type { ObjectKeeper } from '../api/object-keeper.ts';
import { ownedBy } from '../requests/keeper-state.ts';
import { NAMES } from '../requests/names.ts';
import { type PackedChunk, unpack } from './pack-objects.ts';

const API_VERSION = `${MANIFEST_GROUP}/${VERSION}`;

/** A checkpoint or chunk to create. */
export type NewCheckpoint = ReturnType<typeof newCheckpoint>;
export type NewChunk = ReturnType<typeof newChunk>;

/** A checkpoint with the plan of all its chunks, so that chunks written later have the content of the same moment. */
export function newCheckpoint(
  { metadata: { namespace, name, uid } }: ManifestCaptureRequest,
  keeper: ObjectKeeper,
  chunks: readonly PackedChunk[],
  leftOut: readonly LeftOutObjects[] = [],
) {
  return {
    apiVersion: API_VERSION,
    kind: MANIFEST_CHECKPOINTS.kind,
    metadata: {
      name: NAMES.checkpoint(uid),
      labels: labelsOf(namespace, name),
      annotations: { [ANNOTATIONS.requestUid]: uid },
      ownerReferences: ownedBy(keeper),
    },
    spec: {
      sourceNamespace: namespace,
      manifestCaptureRequestRef: { namespace, name, uid },
      plan: planOf(chunks),
      ...(leftOut.length > 0 && { leftOut }),
    },
  };
}

type PlannedChunk = Pick<PackedChunk, 'objectsCount' | 'plainChecksum'>;

function planOf(chunks: readonly PlannedChunk[]): CheckpointPlan {
  return {
    totalObjects: sumOf(chunks.map(({ objectsCount }) => objectsCount)),
    chunks: chunks.map(({ objectsCount, plainChecksum }) => ({ objectsCount, plainChecksum })),
  };
}

/** A checkpoint that no request of this cluster has made. */
export function importedCheckpoint(
  sourceNamespace: string,
  keeper: ObjectKeeper,
  chunks: readonly PlannedChunk[],
  leftOut: readonly LeftOutObjects[] = [],
) {
  return {
    apiVersion: API_VERSION,
    kind: MANIFEST_CHECKPOINTS.kind,
    metadata: {
      generateName: 'import-',
      labels: { [LABELS.sourceNamespace]: sourceNamespace },
      ownerReferences: ownedBy(keeper),
    },
    spec: { sourceNamespace, plan: planOf(chunks), ...(leftOut.length > 0 && { leftOut }) },
  };
}

/** The longest label value; longer names are in the spec only. */
const LONGEST_LABEL = 63;

function labelsOf(namespace: string, name: string): Readonly<Record<string, string>> {
  const named = name.length > LONGEST_LABEL ? {} : { [LABELS.sourceRequest]: name };
  return { [LABELS.sourceNamespace]: namespace, ...named };
}

export function newChunk(checkpoint: ManifestCheckpoint, index: number, packed: PackedChunk) {
  const { data, objectsCount, checksum, plainChecksum } = packed;
  const { name, uid } = checkpoint.metadata;
  return {
    apiVersion: API_VERSION,
    kind: CONTENT_CHUNKS.kind,
    metadata: { name: NAMES.chunk(uid, index), ownerReferences: ownedBy(checkpoint) },
    spec: { checkpointName: name, index, data, objectsCount, checksum, plainChecksum },
  };
}

/** The entry of one chunk in the checkpoint's plan. */
export function planned(
  { spec }: ManifestCheckpoint,
  index: number,
): CheckpointPlan['chunks'][number] | undefined {
  return spec?.plan?.chunks[index];
}

type WrongChunk = { readonly type: 'wrong'; readonly message: string };

/** A valid chunk, or why it is not valid. */
export type JudgedChunk = { readonly type: 'kept'; readonly status: ChunkStatus } | WrongChunk;

/** The same without its content, which may be large. */
export function judgeChunk(checkpoint: ManifestCheckpoint, index: number, chunk: ContentChunk): JudgedChunk {
  const opened = openChunk(checkpoint, index, chunk);
  return opened.type === 'wrong' ? opened : { type: 'kept', status: opened.status };
}

/** The plain content of a valid chunk. */
export type OpenedChunk =
  | { readonly type: 'open'; readonly status: ChunkStatus; readonly plain: Buffer }
  | WrongChunk;

/** Opens only a chunk of this checkpoint with the planned content. The gzip bytes may differ between zlib versions. */
export function openChunk(checkpoint: ManifestCheckpoint, index: number, chunk: ContentChunk): OpenedChunk {
  const { name } = chunk.metadata;
  const { checkpointName, objectsCount, checksum, data } = chunk.spec;
  const wrong = (message: string): WrongChunk => ({ type: 'wrong', message: `chunk ${name}: ${message}` });
  const isIts = checkpointName === checkpoint.metadata.name && chunk.spec.index === index;
  if (!isIts || !isControlledBy(chunk, checkpoint)) return wrong('it belongs to another checkpoint');
  const unpacked = unpack(data);
  if ('fault' in unpacked) return wrong(unpacked.fault);
  if (unpacked.checksum !== checksum) return wrong('its checksum is wrong');
  const { plain, plainChecksum, sizeBytes } = unpacked;
  if (!jsonEqual({ objectsCount, plainChecksum }, planned(checkpoint, index) ?? null))
    return wrong('its content is not what was planned');
  return { type: 'open', plain, status: { name, index, objectsCount, sizeBytes, checksum } };
}

/** Whether a checkpoint is complete or has failed. */
export function isFinal(checkpoint: ManifestCheckpoint): boolean {
  return isConditionTrue(checkpoint.status?.conditions, 'Ready') || failureOf(checkpoint) !== undefined;
}

/** Why a checkpoint has failed, if it has. */
export function failureOf({ status }: ManifestCheckpoint): string | undefined {
  return status?.conditions?.find(({ type, reason }) => type === 'Ready' && reason === 'Failed')?.message;
}

export function completeStatus(
  { status }: ManifestCheckpoint,
  chunks: readonly ChunkStatus[],
  now: Date,
): CheckpointStatus {
  const ready = { type: 'Ready', status: 'True', reason: 'Completed', message: '' } as const;
  return {
    chunks,
    totalObjects: sumOf(chunks.map(({ objectsCount }) => objectsCount)),
    totalSizeBytes: sumOf(chunks.map(({ sizeBytes }) => sizeBytes)),
    conditions: setCondition(status?.conditions ?? [], ready, formatTime(now)),
  };
}

export function failedStatus({ status }: ManifestCheckpoint, message: string, now: Date): CheckpointStatus {
  const ready = { type: 'Ready', status: 'False', reason: 'Failed', message } as const;
  return { ...status, conditions: setCondition(status?.conditions ?? [], ready, formatTime(now)) };
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, each) => sum + each, 0);
}
