import type { Client } from '@kubewright/client';
import { isConditionTrue, isJsonArray, isJsonObject, type JsonObject, parseJson } from '@kubewright/kube';
import { readAhead } from '../../kit/read-ahead.ts';
import { OperatorError } from '../../operator-error.ts';
import { CONTENT_CHUNKS, type ContentChunk } from '../api/content-chunk.ts';
import { MANIFEST_CHECKPOINTS, type ManifestCheckpoint } from '../api/manifest-checkpoint.ts';
import { openChunk } from './new-checkpoint.ts';

/** Places of objects in the order in which they were captured. */
export type Wanted = ReadonlySet<number>;

/** The content of one chunk that is as it was planned. */
export type ReadChunk = {
  readonly objects: readonly JsonObject[];
  /** The same as it was stored: an array in canonical JSON. */
  readonly plain: Buffer;
};

/** Chunks that are requested at a time; each is opened, and may have 4 MiB of manifests, when it is its turn. */
const AHEAD = 4;

/** All objects of a checkpoint at once: there is no partial result. Rejects as {@link checkpointObjects} ends. */
export async function readCheckpoint(client: Client, name: string): Promise<readonly JsonObject[]> {
  const all: JsonObject[] = [];
  for await (const object of checkpointObjects(client, name)) all.push(object);
  return all;
}

/**
 * The objects of a checkpoint, in the order in which they were stored. Ends with an `OperatorError` for a checkpoint
 * that is not Ready, and where a chunk is missing, foreign, or not as planned. Those that are not wanted are not read.
 */
export async function* checkpointObjects(
  client: Client,
  name: string,
  wanted?: Wanted,
): AsyncGenerator<JsonObject, void> {
  const checkpoint = await client.get(MANIFEST_CHECKPOINTS, { name });
  if (!isReady(checkpoint))
    throw new OperatorError('Failed', `ManifestCheckpoint ${name} is not Ready: it is incomplete`);
  if (wanted === undefined) for await (const { objects } of readChunks(client, checkpoint)) yield* objects;
  else yield* wantedObjects(client, checkpoint, wanted);
}

async function* wantedObjects(
  client: Client,
  checkpoint: ManifestCheckpoint,
  wanted: Wanted,
): AsyncGenerator<JsonObject, void> {
  let end = 0;
  const places = chunkPlaces(checkpoint).map((place) => ({
    ...place,
    begin: end,
    end: (end += place.count),
  }));
  const some = places.filter(({ begin, end: after }) => hasAny(wanted, begin, after));
  for await (const { place, chunk } of chunksAt(client, some))
    for (const [index, object] of openedAt(checkpoint, place, chunk).objects.entries())
      if (wanted.has(place.begin + index)) yield object;
}

function hasAny(wanted: Wanted, begin: number, end: number): boolean {
  for (let index = begin; index < end; index++) if (wanted.has(index)) return true;
  return false;
}

export function isReady({ status }: ManifestCheckpoint): boolean {
  return isConditionTrue(status?.conditions, 'Ready');
}

/**
 * The chunks of a Ready checkpoint, in order, each verified before it is yielded. Ends with an `OperatorError` where one
 * is missing, foreign or not as planned, or where in the end objects are missing.
 */
export async function* readChunks(
  client: Client,
  checkpoint: ManifestCheckpoint,
): AsyncGenerator<ReadChunk, void> {
  let count = 0;
  for await (const { place, chunk } of chunksAt(client, chunkPlaces(checkpoint))) {
    const read = openedAt(checkpoint, place, chunk);
    count += read.objects.length;
    yield read;
  }
  const { totalObjects } = checkpoint.status ?? {};
  if (totalObjects === count) return;
  const says = totalObjects ?? 'nothing';
  throw failed(
    `ManifestCheckpoint ${checkpoint.metadata.name} has ${count} objects, its status says ${says}`,
  );
}

type ChunkPlace = { readonly name: string; readonly index: number; readonly count: number };

function chunksAt<P extends ChunkPlace>(
  client: Client,
  places: readonly P[],
): AsyncGenerator<{ readonly place: P; readonly chunk: ContentChunk }, void> {
  return readAhead(places, AHEAD, async (place) => ({
    place,
    chunk: await client.get(CONTENT_CHUNKS, { name: place.name }),
  }));
}

/** The status lists each planned chunk once, in its place. */
function chunkPlaces({ metadata, spec, status }: ManifestCheckpoint): readonly ChunkPlace[] {
  const chunks = status?.chunks ?? [];
  const isWhole =
    chunks.length === spec?.plan?.chunks.length && chunks.every(({ index }, place) => index === place);
  if (isWhole) return chunks.map(({ name, index, objectsCount: count }) => ({ name, index, count }));
  throw failed(`the chunks in the status of ManifestCheckpoint ${metadata.name} are not those of its plan`);
}

function openedAt(
  checkpoint: ManifestCheckpoint,
  { name, index }: ChunkPlace,
  chunk: ContentChunk,
): ReadChunk {
  const opened = openChunk(checkpoint, index, chunk);
  if (opened.type === 'wrong') throw failed(opened.message);
  const { plain, status } = opened;
  const value = parseJson(plain);
  const objects = isJsonArray(value) ? value.filter(isJsonObject) : [];
  if (objects.length === status.objectsCount) return { objects, plain };
  throw failed(`chunk ${name}: it has ${objects.length} objects, not ${status.objectsCount}`);
}

function failed(message: string): OperatorError {
  return new OperatorError('Failed', message);
}
