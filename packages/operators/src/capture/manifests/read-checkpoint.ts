import type { Client } from '@kubewright/client';
import { isConditionTrue, isJsonArray, isJsonObject, type JsonObject, parseJson } from '@kubewright/kube';
import { OperatorError } from '../../operator-error.ts';
import { CONTENT_CHUNKS } from '../api/content-chunk.ts';
import { MANIFEST_CHECKPOINTS } from '../api/manifest-checkpoint.ts';
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
  const objects: JsonObject[] = [];
  for (const { name: chunkName, index } of checkpoint.status?.chunks ?? []) {
    const chunk = await client.get(CONTENT_CHUNKS, { name: chunkName });
    const judged = judgeChunk(checkpoint, index, chunk);
    if (judged.type === 'wrong') throw new OperatorError('Failed', judged.message);
    objects.push(...objectsIn(chunk.spec.data));
  }
  return objects;
}

function objectsIn(data: string): readonly JsonObject[] {
  const unpacked = unpack(data);
  if ('fault' in unpacked) throw new OperatorError('Failed', unpacked.fault);
  const value = parseJson(unpacked.plain);
  return isJsonArray(value) ? value.filter(isJsonObject) : [];
}
