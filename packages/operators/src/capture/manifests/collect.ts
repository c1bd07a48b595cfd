import { ApiError, type ResourceRef } from '@kubewright/client';
import { errorText, KubeError, type KubeObject, parseApiVersion } from '@kubewright/kube';
import type { Io } from '@kubewright/runtime';
import type { CaptureTarget, ManifestCaptureRequest, SecretPolicy } from '../api/manifest-capture-request.ts';
import { readLive } from '../requests/read-live.ts';
import { type PackedChunk, packObjects, titleOf } from './pack-objects.ts';
import { applySecretPolicy } from './apply-secret-policy.ts';

/** The packed targets of a request, or why they cannot be packed. */
export type Collected =
  | { readonly type: 'packed'; readonly chunks: readonly PackedChunk[] }
  | { readonly type: 'fault'; readonly message: string };

type Found = { readonly object: KubeObject } | { readonly fault: string };

/** Concurrent reads. */
const PARALLEL = 16;

/** Reads all targets once, each from the server, and packs them. */
export async function collect(
  request: ManifestCaptureRequest,
  policy: SecretPolicy,
  io: Pick<Io, 'client' | 'signal'>,
): Promise<Collected> {
  const found = await inParallel(distinct(request.spec.targets), (target) =>
    readTarget(target, request.metadata.namespace, io),
  );
  const objects: KubeObject[] = [];
  for (const each of found) {
    if ('fault' in each) return { type: 'fault', message: each.fault };
    const kept = applySecretPolicy(each.object, policy);
    if (kept.type === 'fault') return kept;
    if (kept.type === 'keep') objects.push(kept.object);
  }
  const packed = packObjects(objects);
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
  const resource = await resolve(target, io);
  if ('fault' in resource) return resource;
  if (!resource.namespaced && !isOwnNamespace(resource, target, namespace))
    return {
      fault: `${target.kind} ${target.name} has no namespace: only objects of namespace ${namespace} can be captured, and that Namespace itself`,
    };
  const key = resource.namespaced ? { namespace, name: target.name } : { name: target.name };
  const read = await readLive(io, resource, key);
  if (read.type === 'found') return read;
  const title = titleOf({ ...target, metadata: key });
  return { fault: `${title} ${read.type === 'absent' ? 'not found' : 'is forbidden'}: ${read.message}` };
}

/** Uses discovery, and retries once, so that a CustomResourceDefinition that was just created is found. */
async function resolve(
  { apiVersion, kind }: CaptureTarget,
  { client }: Pick<Io, 'client'>,
): Promise<ResourceRef | { readonly fault: string }> {
  const find = async (): Promise<ResourceRef> =>
    client.mapper.resolve({ ...parseApiVersion(apiVersion), kind });
  try {
    return await find().catch(find);
  } catch (error) {
    const isUnserved = error instanceof ApiError && error.reason === 'NoMatch';
    if (isUnserved || error instanceof KubeError) return { fault: errorText(error) };
    throw error;
  }
}

function isOwnNamespace({ group, kind }: ResourceRef, { name }: CaptureTarget, namespace: string): boolean {
  return group === '' && kind === 'Namespace' && name === namespace;
}

/** Results are in the order of the items. */
async function inParallel<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<readonly R[]> {
  const results = new Map<number, R>();
  const queue = items.entries();
  const worker = async (): Promise<void> => {
    for (const [index, item] of queue) results.set(index, await work(item));
  };
  await Promise.all(Array.from({ length: Math.min(PARALLEL, items.length) }, worker));
  return items.flatMap((_item, index) => {
    const result = results.get(index);
    return result === undefined ? [] : [result];
  });
}
