import { defined, jsonEqual } from '@kubewright/kube';
import { isControlledBy, type Io, type Request } from '@kubewright/runtime';
import { readAuthor } from '../authority/read-author.ts';
import { CONTENT_CHUNKS, type ContentChunk } from '../api/content-chunk.ts';
import { MANIFEST_CAPTURE_REQUESTS, type ManifestCaptureRequest } from '../api/manifest-capture-request.ts';
import {
  type ChunkStatus,
  MANIFEST_CHECKPOINTS,
  type ManifestCheckpoint,
} from '../api/manifest-checkpoint.ts';
import { OBJECT_KEEPERS } from '../api/object-keeper.ts';
import { ageOf } from '../requests/age-of.ts';
import { keeperState } from '../requests/keeper-state.ts';
import { NAMES } from '../requests/names.ts';
import { foundIn, readLive } from '../requests/read-live.ts';
import { readRequest } from '../requests/read-request.ts';
import { isFinal, judgeChunk, type NewChunk } from './new-checkpoint.ts';
import { collect, type Collected, type CollectSettings } from './collect.ts';
import type { CaptureAction } from './decide.ts';
import type { ChunkState, ObservedCapture } from './observed-capture.ts';

/** What this process has read for an unfinished request, so that all chunks are of the same moment. */
type Memory = {
  readonly uid: string;
  collected?: Collected;
  /** Verified chunks by index; chunks are immutable. */
  readonly kept: Map<number, ChunkStatus>;
};

/** By `namespace/name` of the request. */
export type Memories = Map<string, Memory>;

type Tools = { readonly memories: Memories; readonly settings: CollectSettings };
type Looking = { readonly memory: Memory; readonly collected: () => Promise<Collected>; readonly io: Io };

/** The state of one capture. Its targets are read once per process. */
export async function observe(
  key: Request,
  io: Io,
  { memories, settings }: Tools,
): Promise<ObservedCapture | undefined> {
  const request = await readRequest(MANIFEST_CAPTURE_REQUESTS, key, io);
  if (request === undefined) {
    memories.delete(`${key.namespace}/${key.name}`);
    return undefined;
  }
  const memory = memoryOf(request, memories);
  const collected = async (): Promise<Collected> =>
    (memory.collected ??= await collect(
      request,
      { ...settings, ...defined({ secrets: request.spec.secrets }) },
      io,
    ));
  const { uid } = request.metadata;
  const keeper = keeperState(
    request,
    await readLive(io, OBJECT_KEEPERS, { name: NAMES.manifestKeeper(uid) }),
  );
  const checkpoint = foundIn(await readLive(io, MANIFEST_CHECKPOINTS, { name: NAMES.checkpoint(uid) }));
  // A read that fails for ever would keep the request for ever.
  if (isLate(request, io)) return { request, keeper, ...defined({ checkpoint }), chunks: [], isLate: true };
  if (checkpoint === undefined) {
    const seen = { request, keeper, chunks: [] };
    if (keeper.type === 'ours') return { ...seen, collected: await collected() };
    return keeper.type === 'absent' ? { ...seen, author: await readAuthor(request, io) } : seen;
  }
  const isOpen = keeper.type === 'ours' && isControlledBy(checkpoint, keeper.keeper) && !isFinal(checkpoint);
  const chunks = isOpen ? await observeChunks(checkpoint, { memory, collected, io }) : [];
  return { request, keeper, checkpoint, chunks };
}

function isLate(request: ManifestCaptureRequest, { clock }: Pick<Io, 'clock'>): boolean {
  const { deadlineSeconds } = request.spec;
  return deadlineSeconds !== undefined && ageOf(request, new Date(clock.now())) >= deadlineSeconds * 1000;
}

function memoryOf(
  { metadata: { namespace, name, uid } }: ManifestCaptureRequest,
  memories: Memories,
): Memory {
  const key = `${namespace}/${name}`;
  const known = memories.get(key);
  if (known?.uid === uid) return known;
  const memory = { uid, kept: new Map() };
  memories.set(key, memory);
  return memory;
}

async function observeChunks(
  checkpoint: ManifestCheckpoint,
  { memory, collected, io }: Looking,
): Promise<readonly ChunkState[]> {
  const states: ChunkState[] = [];
  for (const index of (checkpoint.spec?.plan?.chunks ?? []).keys()) {
    const known = memory.kept.get(index);
    const state = known === undefined ? await observeChunk(checkpoint, index, io) : keptAs(known);
    if (state === undefined) return [...states, { type: 'missing', index, collected: await collected() }];
    if (state.type === 'kept') memory.kept.set(index, state.status);
    states.push(state);
  }
  return states;
}

/** A chunk that this process has written need not be read again. */
export function noteChunk(
  memories: Memories,
  { checkpoint, index, chunk }: Extract<CaptureAction, { readonly type: 'createChunk' }>,
  stored: ContentChunk,
): void {
  const { namespace = '', name = '', uid } = checkpoint.spec?.manifestCaptureRequestRef ?? {};
  const memory = memories.get(`${namespace}/${name}`);
  const isAsSent = isControlledBy(stored, checkpoint) && jsonEqual(chunk.spec, stored.spec);
  const judged = isAsSent ? keptAs(statusOf(chunk)) : judgeChunk(checkpoint, index, stored);
  if (memory !== undefined && memory.uid === uid && judged.type === 'kept')
    memory.kept.set(index, judged.status);
}

/** What was sent is what was planned, and none of it is unpacked again. */
function statusOf({ metadata: { name }, spec }: NewChunk): ChunkStatus {
  const { index, objectsCount, checksum, data } = spec;
  return { name, index, objectsCount, sizeBytes: Buffer.byteLength(data, 'base64'), checksum };
}

function keptAs(status: ChunkStatus): ChunkState {
  return { type: 'kept', status };
}

async function observeChunk(
  checkpoint: ManifestCheckpoint,
  index: number,
  io: Io,
): Promise<ChunkState | undefined> {
  const name = NAMES.chunk(checkpoint.metadata.uid, index);
  const chunk = foundIn(await readLive(io, CONTENT_CHUNKS, { name }));
  return chunk === undefined ? undefined : judgeChunk(checkpoint, index, chunk);
}
