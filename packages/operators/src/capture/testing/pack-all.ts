import type { KubeObject } from '@kubewright/kube';
import { byIdentity, type PackedChunk, packObjects } from '../manifests/pack-objects.ts';

/** The chunks of these objects, sorted as those of a capture are. */
export async function packAll(
  objects: readonly KubeObject[],
  maxBytes?: number,
): Promise<readonly PackedChunk[]> {
  const chunks: PackedChunk[] = [];
  for await (const chunk of packObjects(objects.toSorted(byIdentity), maxBytes)) chunks.push(chunk);
  return chunks;
}
