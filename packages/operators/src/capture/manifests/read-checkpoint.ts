import type { Client } from '@kubewright/client';
import { isConditionTrue, isJsonArray, isJsonObject, type JsonObject, parseJson } from '@kubewright/kube';
import { readAhead } from '../../kit/read-ahead.ts';
import { OperatorError } from '../../operator-error.ts';
import { CONTENT_CHUNKS } from '../api/content-chunk.ts';
import { MANIFEST_CHECKPOINTS, type ManifestCheckpoint } from '../api/manifest-checkpoint.ts';
import { openChunk } from './new-checkpoint.ts';

/** The content of one chunk that is as it was planned. */
export type ReadChunk = {
  readonly objects: readonly JsonObject[];
  /** The same as it was stored: an array in canonical JSON. */
  readonly plain: Buffer;
};

/** Chunks that are read at a time: each may have 4 MiB of manifests. */
const AHEAD = 4;

/** All objects of a checkpoint at once: there is no partial result. Rejects as {@link checkpointObjects} ends. */
export async function readCheckpoint(client: Client, name: string): Promise<readonly JsonObject[]> {
  const all: JsonObject[] = [];
  for await (const object of checkpointObjects(client, name)) all.push(object);
  return all;
}

/**
 * The objects of a checkpoint, in the order in which they were stored. Ends with an `OperatorError` for a checkpoint
 * that is not Ready, and where a chunk is missing, foreign, or not as planned.
 */
export async function* checkpointObjects(client: Client, name: string): AsyncGenerator<JsonObject, void> {
  const checkpoint = await client.get(MANIFEST_CHECKPOINTS, { name });
  if (!isReady(checkpoint))
    throw new OperatorError('Failed', `ManifestCheckpoint ${name} is not Ready: it is incomplete`);
  for await (const { objects } of readChunks(client, checkpoint)) yield* objects;
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
  const indexed = chunkNames(checkpoint).map((name, index) => ({ name, index }));
  const chunks = readAhead(indexed, AHEAD, async ({ name, index }) => {
    const chunk = await client.get(CONTENT_CHUNKS, { name });
    return readChunk(openChunk(checkpoint, index, chunk), name);
  });
  for await (const read of chunks) {
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

/** The status lists each planned chunk once, in its place. */
function chunkNames({ metadata, spec, status }: ManifestCheckpoint): readonly string[] {
  const chunks = status?.chunks ?? [];
  const isWhole =
    chunks.length === spec?.plan?.chunks.length && chunks.every(({ index }, place) => index === place);
  if (isWhole) return chunks.map(({ name }) => name);
  throw failed(`the chunks in the status of ManifestCheckpoint ${metadata.name} are not those of its plan`);
}

function readChunk(opened: ReturnType<typeof openChunk>, name: string): ReadChunk {
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
