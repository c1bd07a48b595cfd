import type { KubeObject } from '@kubewright/kube';
import type { Io } from '@kubewright/runtime';
import type { CaptureTarget, ManifestCaptureRequest } from '../api/manifest-capture-request.ts';
import type { CaptureKey } from '../secrets/key-ring.ts';
import type { Settings } from '../settings.ts';
import { inParallel } from '../../kit/in-parallel.ts';
import { readLive } from '../requests/read-live.ts';
import { resolveTarget } from '../requests/resolve-target.ts';
import { type PackedChunk, packObjects, titleOf } from './pack-objects.ts';
import { applySecretPolicy } from './apply-secret-policy.ts';

/** The packed targets of a request, or why they cannot be packed. */
export type Collected =
  | { readonly type: 'packed'; readonly chunks: readonly PackedChunk[] }
  | { readonly type: 'fault'; readonly message: string };

/** What a request does not say itself. */
export type CollectSettings = Pick<Settings, 'secrets' | 'chunkBytes'> & {
  /** Encrypts Secrets. */
  readonly key?: CaptureKey;
};

type Found = { readonly object: KubeObject } | { readonly fault: string };

/** Reads all targets once, each from the server, and packs them. */
export async function collect(
  request: ManifestCaptureRequest,
  { secrets: policy, chunkBytes, key }: CollectSettings,
  io: Pick<Io, 'client' | 'signal'>,
): Promise<Collected> {
  const found = await inParallel(distinct(request.spec.targets), (target) =>
    readTarget(target, request.metadata.namespace, io),
  );
  const objects: KubeObject[] = [];
  for (const each of found) {
    if ('fault' in each) return { type: 'fault', message: each.fault };
    const kept = applySecretPolicy(each.object, policy, key);
    if (kept.type === 'fault') return kept;
    if (kept.type === 'keep') objects.push(kept.object);
  }
  const packed = packObjects(objects, chunkBytes);
  if ('tooLarge' in packed)
    return {
      type: 'fault',
      message: `${packed.tooLarge} is too large: compressed, it does not fit into one chunk`,
    };
  return { type: 'packed', chunks: packed };
}

/** A target that is listed twice is captured once. */
function distinct(targets: readonly CaptureTarget[]): readonly CaptureTarget[] {
  const byKey = new Map(
    targets.map((target) => [[target.apiVersion, target.kind, target.name].join('\n'), target]),
  );
  return [...byKey.values()];
}

async function readTarget(
  target: CaptureTarget,
  namespace: string,
  io: Pick<Io, 'client' | 'signal'>,
): Promise<Found> {
  const resource = await resolveTarget(target, namespace, io.client);
  if ('fault' in resource) return resource;
  const key = resource.namespaced ? { namespace, name: target.name } : { name: target.name };
  const read = await readLive(io, resource, key);
  if (read.type === 'found') return read;
  const title = titleOf({ ...target, metadata: key });
  return { fault: `${title} ${read.type === 'absent' ? 'not found' : 'is forbidden'}: ${read.message}` };
}
