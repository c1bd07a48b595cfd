import type { Client } from '@kubewright/client';
import { canonicalJson, type JsonObject } from '@kubewright/kube';
import type { ManifestCheckpoint } from '../api/manifest-checkpoint.ts';
import { type ReadChunk, readChunks } from '../manifests/read-checkpoint.ts';
import { retargeted } from '../restore/retargeted.ts';

/** Rejects where the checkpoint cannot be read as a whole. One chunk at a time is held. */
export async function verifyManifests(client: Client, checkpoint: ManifestCheckpoint): Promise<void> {
  for await (const _chunk of readChunks(client, checkpoint));
}

/**
 * The manifests of a checkpoint as one JSON array, in the order of capture: as they were captured, or as they are to be
 * created in the namespace `to`. Chunks are verified again before any of their bytes are yielded.
 */
export async function* manifestArray(
  client: Client,
  checkpoint: ManifestCheckpoint,
  to?: string,
): AsyncGenerator<Buffer, void> {
  let separator = '[';
  for await (const chunk of readChunks(client, checkpoint)) {
    const items = to === undefined ? verbatim(chunk) : moved(chunk, checkpoint, to);
    if (items.length === 0) continue;
    yield Buffer.from(separator);
    yield items;
    separator = ',';
  }
  yield Buffer.from(separator === '[' ? '[]\n' : ']\n');
}

/** The bytes between the brackets. */
function verbatim({ plain }: ReadChunk): Buffer {
  return plain.subarray(plain.indexOf('[') + 1, plain.lastIndexOf(']'));
}

function moved({ objects }: ReadChunk, { spec }: ManifestCheckpoint, to: string): Buffer {
  const from = spec?.sourceNamespace ?? '';
  const move = (object: JsonObject): string => {
    return canonicalJson(retargeted(object, { from, to }) ?? object);
  };
  return Buffer.from(objects.map(move).join(','));
}
