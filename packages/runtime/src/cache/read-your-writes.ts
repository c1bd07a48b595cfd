import {
  ApiError,
  type Client,
  type Clock,
  isAlreadyExists,
  isConflict,
  isNotFound,
  keyOf,
  type ObjectKey,
  type Ref,
} from '@kubewright/client';
import type { KubeObject, Status, Stored } from '@kubewright/kube';
import { callWithin } from '../call-within.ts';
import { RuntimeError } from '../runtime-error.ts';
import type { Cache } from './cache.ts';
import type { Informer } from './informer.ts';
import { storeKey } from './object-store.ts';
import { refreshCache } from './refresh-cache.ts';

export type ReadYourWritesOptions = {
  readonly cache: Pick<Cache, 'informersOf'>;
  readonly clock: Clock;
  /** Timeout of the read that follows a failed write. Default 5 s. */
  readonly lookMs?: number;
};

type Place = Pick<ObjectKey, 'namespace'> & { readonly name?: string };
type Context = ReadYourWritesOptions & { readonly client: Client };

const DEFAULT_LOOK_MS = 5000;
/**
 * A client whose writes the cache sees at once: when a write has resolved, no cache read is older, long before the watch
 * reports it. Only failed writes cost a request:
 *
 * - After a conflict, or `AlreadyExists`, the object is read once, so that the next attempt does not see the same stale state.
 * - A write without a response (or with 5xx) may have taken effect. The object is read once; for a create with
 *   `generateName`, the collection in its namespace.
 * - After 404 the object is gone that the cache had when the write was sent, whatever the watch has reported. One that was
 *   created under its name since is not.
 *
 * Not covered: a lost write that takes effect after that read, or whose read fails too; subresources of another kind
 * (`scale`); the deletion of an object that the cache has not seen yet, where the response has no version; writes in
 * another API version than the cached one; servers whose resourceVersions cannot be compared. There the cache lags as far
 * as its watch.
 */
export function readYourWrites(client: Client, options: ReadYourWritesOptions): Client {
  const context: Context = { ...options, client };
  return {
    ...client,
    create: (ref, object, write) =>
      noted(context, at(ref, placeOf(object), write), client.create(ref, object, write)),
    update: (ref, object, write) =>
      noted(context, at(ref, keyOf(object), write), client.update(ref, object, write)),
    patch: (ref, key, body, write) =>
      noted(context, at(ref, key, write), client.patch(ref, key, body, write)),
    apply: (ref, object, write) =>
      noted(context, at(ref, keyOf(object), write), client.apply(ref, object, write)),
    delete: (ref, key, options) =>
      noted(context, at(ref, key, options), client.delete(ref, key, options), (result) =>
        noteDeletion(context, ref, key, result),
      ),
    async deleteAll(ref, list, options) {
      await client.deleteAll(ref, list, options);
      if (options?.dryRun !== true) await look(context, ref, { namespace: list.namespace });
    },
  };
}

/** The object of a write. */
type Target = { readonly ref: Ref; readonly place: Place; readonly dryRun: boolean };

/** Awaits a write and updates the cache with its outcome. */
async function noted<T extends Stored | Status>(
  context: Context,
  { ref, place, dryRun }: Target,
  call: Promise<T>,
  note: (result: T) => void = (result) => {
    if (isObject(result)) noteWritten(context, ref, result);
  },
): Promise<T> {
  if (dryRun || context.cache.informersOf(ref).length === 0) return call;
  const sent = inCache(context, ref, place);
  try {
    const result = await call;
    note(result);
    return result;
  } catch (error) {
    if (isAbout(error, place)) noteMissing(sent);
    else if (isUncertain(error)) await look(context, ref, place);
    throw error;
  }
}

/** The object after a write: gone where the write removed the last finalizer of an object that is being deleted. */
function noteWritten(context: Context, ref: Ref, object: Stored): void {
  const { uid, resourceVersion } = object.metadata;
  if (object.kind === ref.kind && isOver(object)) noteGone(context, ref, keyOf(object), uid, resourceVersion);
  else noteObject(context, ref, object);
}

/**
 * The last finalizer is removed. The response still has the object, with the version that it had with that finalizer,
 * which the watch reports too.
 */
function isOver({ metadata }: KubeObject): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds, finalizers = [] } = metadata;
  return deletionTimestamp !== undefined && deletionGracePeriodSeconds === 0 && finalizers.length === 0;
}

/** A subresource may be of another kind: its response says nothing about the object then. */
function noteObject({ cache }: Context, ref: Ref, object: Stored): void {
  if (object.kind === ref.kind) for (const informer of cache.informersOf(ref)) informer.shown(object);
}

function noteDeletion(context: Context, ref: Ref, key: ObjectKey, result: Stored | Status): void {
  if (!isObject(result)) {
    const gone = result.details?.uid;
    if (gone !== undefined) noteGone(context, ref, key, gone);
    return;
  }
  const { uid, resourceVersion, deletionTimestamp } = result.metadata;
  if (deletionTimestamp === undefined) noteGone(context, ref, key, uid, resourceVersion);
  else noteWritten(context, ref, result);
}

function isObject(result: Stored | Status): result is Stored {
  return result.kind !== 'Status';
}

function noteGone({ cache }: Context, ref: Ref, key: ObjectKey, uid: string, version?: string): void {
  for (const informer of cache.informersOf(ref))
    informer.gone(storeKey(key.namespace, key.name), uid, version);
}

/** What the informers have under a key. */
type InCache = readonly { readonly informer: Informer; readonly key: string; readonly uid: string }[];

function inCache({ cache }: Context, ref: Ref, { namespace, name = '' }: Place): InCache {
  const key = storeKey(namespace, name);
  return cache.informersOf(ref).flatMap((informer) => {
    const { uid } = informer.get(key)?.metadata ?? {};
    return uid === undefined ? [] : [{ informer, key, uid }];
  });
}

/** A response 404: what the cache had when its request was sent is gone. */
function noteMissing(sent: InCache): void {
  for (const { informer, key, uid } of sent) informer.gone(key, uid);
}

/** Reads the object from the server. Ignores a failure: the write's own error matters more. */
async function look(context: Context, ref: Ref, place: Place): Promise<void> {
  const { client, clock, lookMs = DEFAULT_LOOK_MS } = context;
  const { namespace, name } = place;
  const { signal } = new AbortController();
  const sent = inCache(context, ref, place);
  const seen = (end: AbortSignal): Promise<void> =>
    name === undefined
      ? refreshCache(context, ref, { namespace, signal: end })
      : client.get(ref, { namespace, name }, { signal: end }).then((live) => noteObject(context, ref, live));
  try {
    await callWithin(clock, lookMs, signal, seen);
  } catch (error) {
    if (isAbout(error, place)) noteMissing(sent);
  }
}

function placeOf({ metadata: { namespace, name } }: KubeObject): Place {
  return { namespace, ...(name === undefined || name === '' ? {} : { name }) };
}

function at(ref: Ref, place: Place, options: { readonly dryRun?: boolean } = {}): Target {
  return { ref, place, dryRun: options.dryRun === true };
}

/** 404 for this very object; a namespace or a kind that is missing has another name. */
function isAbout(error: unknown, { name }: Place): boolean {
  return isNotFound(error) && (error as ApiError).status.details?.name === name;
}

/**
 * Whether the caller's view was stale, or the write may have taken effect all the same. Any transport error counts as the
 * latter, unless the write was never sent.
 */
function isUncertain(error: unknown): boolean {
  if (error instanceof RuntimeError) return false;
  if (!(error instanceof ApiError)) return true;
  const isResponse = error.code >= 100 && error.code < 500;
  return !isResponse || isConflict(error) || isAlreadyExists(error);
}
