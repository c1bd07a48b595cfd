import type { KubeObject } from '@kubewright/kube';
import type { Io } from '@kubewright/runtime';
import type { CaptureTarget, ManifestCaptureRequest } from '../api/manifest-capture-request.ts';
import type { LeftOutObjects } from '../api/manifest-checkpoint.ts';
import type { CaptureKey } from '../secrets/key-ring.ts';
import type { Settings } from '../settings.ts';
import { inParallel } from '../../kit/in-parallel.ts';
import { OperatorError } from '../../operator-error.ts';
import { readLive } from '../requests/read-live.ts';
import { resolveTarget } from '../requests/resolve-target.ts';
import { byIdentity, type PackedChunk, packObjects, titleOf } from './pack-objects.ts';
import { createLeftOut, type LeftOut } from './create-left-out.ts';
import { applySecretPolicy } from './apply-secret-policy.ts';
import { selectObjects } from './select-objects.ts';

/** The packed targets of a request, or why they cannot be packed. */
export type Collected =
  | {
      readonly type: 'packed';
      readonly chunks: readonly PackedChunk[];
      /** Of a selection: what it does not take. */
      readonly leftOut?: readonly LeftOutObjects[];
    }
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
  const { metadata, spec } = request;
  const leftOut = createLeftOut();
  const kept = async function* (): AsyncGenerator<KubeObject, void> {
    for await (const object of objectsOf(spec, metadata.namespace, io, leftOut)) {
      const judged = applySecretPolicy(object, policy, key);
      if (judged.type === 'fault') throw new OperatorError('Failed', judged.message);
      if (judged.type === 'keep') yield judged.object;
      else leftOut.add(object, 'the policy for Secrets is Exclude');
    }
  };
  const chunks: PackedChunk[] = [];
  try {
    for await (const chunk of packObjects(kept(), chunkBytes)) chunks.push(chunk);
    return { type: 'packed', chunks, leftOut: leftOut.list() };
  } catch (error) {
    // Anything else may pass.
    if (error instanceof OperatorError) return { type: 'fault', message: error.message };
    throw error;
  }
}

function objectsOf(
  { targets = [], selection }: ManifestCaptureRequest['spec'],
  namespace: string,
  io: Pick<Io, 'client' | 'signal'>,
  leftOut: LeftOut,
): AsyncGenerator<KubeObject, void> {
  return selection === undefined
    ? readTargets(targets, namespace, io)
    : selectObjects(selection, namespace, io, leftOut);
}

/** Sorted by what they are, whatever the order of the targets. */
async function* readTargets(
  targets: readonly CaptureTarget[],
  namespace: string,
  io: Pick<Io, 'client' | 'signal'>,
): AsyncGenerator<KubeObject, void> {
  const found = await inParallel(distinct(targets), (target) => readTarget(target, namespace, io));
  const objects = found.map((each) => {
    if ('fault' in each) throw new OperatorError('Failed', each.fault);
    return each.object;
  });
  yield* objects.toSorted(byIdentity);
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
