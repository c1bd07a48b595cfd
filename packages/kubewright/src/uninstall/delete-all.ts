import {
  type Client,
  ignoreNotFound,
  isConflict,
  type ObjectKey,
  type ResourceRef,
  sleep,
  systemClock,
} from '@kubewright/client';
import type { Stored } from '@kubewright/kube';
import { inParallel } from '@kubewright/operators';
import type { ObjectsOf, Target } from './plan-uninstall.ts';

/** How long is waited, and what ends that. */
export type Patience = { readonly signal: AbortSignal; readonly timeoutMs: number };

const LOOK_EVERY_MS = 200;

/** Deletes them one after the other; what is gone already is fine. */
export async function deleteTargets(
  client: Client,
  targets: readonly Target[],
  signal: AbortSignal,
): Promise<void> {
  for (const { ref, namespace, name } of targets) {
    signal.throwIfAborted();
    await remove(client, ref, namespace === undefined ? { name } : { namespace, name });
  }
}

async function remove(client: Client, ref: ResourceRef, key: ObjectKey): Promise<void> {
  await ignoreNotFound(client.delete(ref, key, { propagationPolicy: 'Background' }));
}

/** Resolves with those that are still there when the time is up. */
export async function untilGone(
  client: Client,
  targets: readonly Target[],
  { signal, timeoutMs }: Patience,
): Promise<readonly Target[]> {
  const until = systemClock.monotonic() + timeoutMs;
  for (let left = targets; ; await sleep(systemClock, LOOK_EVERY_MS, signal)) {
    const found = await inParallel(left, async (target) => {
      const { ref, namespace, name } = target;
      const key = namespace === undefined ? { name } : { namespace, name };
      return (await ignoreNotFound(client.get(ref, key))) === undefined ? [] : [target];
    });
    left = found.flat();
    if (left.length === 0 || systemClock.monotonic() > until) return left;
    signal.throwIfAborted();
  }
}

/**
 * Deletes the objects of a kind, and waits until their operators have released them. Those that nobody releases in time are
 * released here: by finalizers of `own`, and no others. Resolves with how many that were, and with what is left.
 */
export async function deleteObjects(
  client: Client,
  { ref, objects }: ObjectsOf,
  { own, ...patience }: Patience & { readonly own: readonly string[] },
): Promise<{ readonly released: number; readonly left: readonly Target[] }> {
  const targets = objects.map((object) => targetOf(ref, object));
  await inParallel(targets, async ({ namespace, name }) =>
    remove(client, ref, namespace === undefined ? { name } : { namespace, name }),
  );
  const held = await untilGone(client, targets, patience);
  const released = await inParallel(held, async (target) => release(client, target, own));
  const left = held.length === 0 ? held : await untilGone(client, held, { ...patience, timeoutMs: 0 });
  return { released: released.filter(Boolean).length, left };
}

function targetOf(ref: ResourceRef, { metadata: { namespace, name } }: Stored): Target {
  return { ref, kind: ref.kind ?? '', name, ...(namespace === undefined ? {} : { namespace }) };
}

async function release(
  client: Client,
  { ref, namespace, name }: Target,
  own: readonly string[],
): Promise<boolean> {
  const key = namespace === undefined ? { name } : { namespace, name };
  const live = await ignoreNotFound(client.get(ref, key));
  if (live === undefined) return false;
  const { finalizers = [], resourceVersion } = live.metadata;
  const others = finalizers.filter((finalizer) => !own.includes(finalizer));
  if (others.length === finalizers.length) return false;
  const body = { metadata: { finalizers: others, resourceVersion } };
  try {
    await ignoreNotFound(client.patch(ref, key, { type: 'merge', body }));
    return true;
  } catch (error) {
    if (isConflict(error)) return release(client, { ref, kind: '', ...key }, own);
    throw error;
  }
}
