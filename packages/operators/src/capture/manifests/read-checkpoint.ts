import type { Client } from '@kubewright/client';
import { isConditionTrue, isJsonArray, isJsonObject, type JsonObject, parseJson } from '@kubewright/kube';
import { OperatorError } from '../../operator-error.ts';
import { CONTENT_CHUNKS, type ContentChunk } from '../api/content-chunk.ts';
import { MANIFEST_CHECKPOINTS, type ManifestCheckpoint } from '../api/manifest-checkpoint.ts';
import { judgeChunk } from './new-checkpoint.ts';
import { unpack } from './pack-objects.ts';

/**
 * The objects of a checkpoint, in the order in which they were stored. Rejects with an `OperatorError` for a checkpoint
 * that is not Ready, and when a chunk is missing, foreign, or not as planned: there is no partial result.
 */
export async function readCheckpoint(client: Client, name: string): Promise<readonly JsonObject[]> {
  const checkpoint = await client.get(MANIFEST_CHECKPOINTS, { name });
  if (!isConditionTrue(checkpoint.status?.conditions, 'Ready'))
    throw new OperatorError('Failed', `ManifestCheckpoint ${name} is not Ready: it is incomplete`);
  const chunks: ContentChunk[] = [];
  for (const chunkName of chunkNames(checkpoint))
    chunks.push(await client.get(CONTENT_CHUNKS, { name: chunkName }));
  const objects = chunks.flatMap((chunk, index) => objectsIn(checkpoint, chunk, index));
  const { totalObjects } = checkpoint.status ?? {};
  if (totalObjects === objects.length) return objects;
  throw new OperatorError(
    'Failed',
    `ManifestCheckpoint ${name} has ${objects.length} objects, its status says ${totalObjects ?? 'nothing'}`,
  );
}

/** The status lists each planned chunk once, in its place. */
function chunkNames({ metadata, spec, status }: ManifestCheckpoint): readonly string[] {
  const chunks = status?.chunks ?? [];
  const isWhole =
    chunks.length === spec?.plan?.chunks.length && chunks.every(({ index }, place) => index === place);
  if (isWhole) return chunks.map(({ name }) => name);
  const message = `the chunks in the status of ManifestCheckpoint ${metadata.name} are not those of its plan`;
  throw new OperatorError('Failed', message);
}

/** Verifies a chunk before anything in it counts. */
function objectsIn(
  checkpoint: ManifestCheckpoint,
  chunk: ContentChunk,
  index: number,
): readonly JsonObject[] {
  const judged = judgeChunk(checkpoint, index, chunk);
  if (judged.type === 'wrong') throw new OperatorError('Failed', judged.message);
  const unpacked = unpack(chunk.spec.data);
  if ('fault' in unpacked) throw new OperatorError('Failed', unpacked.fault);
  const value = parseJson(unpacked.plain);
  const objects = isJsonArray(value) ? value.filter(isJsonObject) : [];
  if (objects.length === chunk.spec.objectsCount) return objects;
  const message = `chunk ${chunk.metadata.name}: it has ${objects.length} objects, not ${chunk.spec.objectsCount}`;
  throw new OperatorError('Failed', message);
}
