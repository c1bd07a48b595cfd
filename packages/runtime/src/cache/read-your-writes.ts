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
import { storeKey } from './object-store.ts';
import { refreshCache } from './refresh-cache.ts';

export type ReadYourWritesOptions = {
  readonly cache: Pick<Cache, 'informersOf'>;
  readonly clock: Clock;
  /** How long a write that failed waits for the look that follows it. Default 5 s. */
  readonly lookMs?: number;
};

type Place = Pick<ObjectKey, 'namespace'> & { readonly name?: string };
type Context = ReadYourWritesOptions & { readonly client: Client };

const DEFAULT_LOOK_MS = 5000;
/**
 * A client whose answers the cache knows at once: when a write has resolved, the cache reads no state older than it,
 * long before the watch tells of it. Nobody waits, but for a write that failed:
 *
 * - After a conflict, or `AlreadyExists`, the object is read once, so that the next try does not meet the same past.
 * - After a write without an answer (or with 5xx) it may have landed. The object is read once; for a create under a
 *   `generateName`, the collection in its namespace.
 * - 404 says that the object is gone, whatever the watch has told.
 *
 * Not covered: a lost write that lands after that look, or whose look fails too; subresources that answer with another
 * kind (`scale`); the deletion of an object that the cache has not shown yet, of a kind whose deletions are answered
 * without version; writes in another version of the API than the cached one; servers whose resourceVersions cannot be
 * compared. There the cache is as old as its watch.
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
      noted(context, at(ref, key, options), client.delete(ref, key, options), (answer) =>
        noteDeletion(context, ref, key, answer),
      ),
    async deleteAll(ref, list, options) {
      await client.deleteAll(ref, list, options);
      if (options?.dryRun !== true) await look(context, ref, { namespace: list.namespace });
    },
  };
}

/** What a write is about. */
type Target = { readonly ref: Ref; readonly place: Place; readonly dryRun: boolean };

/** Waits for a write and sees to it that the cache knows what came of it. */
async function noted<T extends Stored | Status>(
  context: Context,
  { ref, place, dryRun }: Target,
  call: Promise<T>,
  note: (answer: T) => void = (answer) => {
    if (isObject(answer)) noteWritten(context, ref, answer);
  },
): Promise<T> {
  if (dryRun || context.cache.informersOf(ref).length === 0) return call;
  try {
    const answer = await call;
    note(answer);
    return answer;
  } catch (error) {
    if (isAbout(error, place)) noteMissing(context, ref, place);
    else if (isUncertain(error)) await look(context, ref, place);
    throw error;
  }
}

/** The object as a write has left it: not at all, where that took the last finalizer of what was to be deleted. */
function noteWritten(context: Context, ref: Ref, object: Stored): void {
  const { uid, resourceVersion } = object.metadata;
  if (object.kind === ref.kind && isOver(object)) noteGone(context, ref, keyOf(object), uid, resourceVersion);
  else noteObject(context, ref, object);
}

/**
 * Nothing holds the object any more. The server answers with it once more, under the version that it had with its last
 * finalizer: a watch tells of that one, too.
 */
function isOver({ metadata }: KubeObject): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds, finalizers = [] } = metadata;
  return deletionTimestamp !== undefined && deletionGracePeriodSeconds === 0 && finalizers.length === 0;
}

/** The answer to a write of a subresource may be of another kind, and says nothing about the object then. */
function noteObject({ cache }: Context, ref: Ref, object: Stored): void {
  if (object.kind === ref.kind) for (const informer of cache.informersOf(ref)) informer.shown(object);
}

function noteDeletion(context: Context, ref: Ref, key: ObjectKey, answer: Stored | Status): void {
  if (!isObject(answer)) {
    const gone = answer.details?.uid;
    if (gone !== undefined) noteGone(context, ref, key, gone);
    return;
  }
  const { uid, resourceVersion, deletionTimestamp } = answer.metadata;
  if (deletionTimestamp === undefined) noteGone(context, ref, key, uid, resourceVersion);
  else noteWritten(context, ref, answer);
}

function isObject(answer: Stored | Status): answer is Stored {
  return answer.kind !== 'Status';
}

function noteGone({ cache }: Context, ref: Ref, key: ObjectKey, uid: string, version?: string): void {
  for (const informer of cache.informersOf(ref))
    informer.gone(storeKey(key.namespace, key.name), uid, version);
}

/** What the cache still shows there is no more. */
function noteMissing({ cache }: Context, ref: Ref, { namespace, name = '' }: Place): void {
  const key = storeKey(namespace, name);
  for (const informer of cache.informersOf(ref)) {
    const { uid } = informer.get(key)?.metadata ?? {};
    if (uid !== undefined) informer.gone(key, uid);
  }
}

/** Reads what the server has now. What that look finds out is worth having, that it fails is not worth telling. */
async function look(context: Context, ref: Ref, { namespace, name }: Place): Promise<void> {
  const { client, clock, lookMs = DEFAULT_LOOK_MS } = context;
  const { signal } = new AbortController();
  const seen = (end: AbortSignal): Promise<void> =>
    name === undefined
      ? refreshCache(context, ref, { namespace, signal: end })
      : client.get(ref, { namespace, name }, { signal: end }).then((live) => noteObject(context, ref, live));
  try {
    await callWithin(clock, lookMs, signal, seen);
  } catch (error) {
    if (isAbout(error, { namespace, name: name ?? '' }))
      noteMissing(context, ref, { namespace, name: name ?? '' });
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
 * The object is not as the caller thought, or the call may have had an effect all the same. What a transport throws that
 * is no answer is of the second sort, whatever it is; a write that was never sent is not.
 */
function isUncertain(error: unknown): boolean {
  if (error instanceof RuntimeError) return false;
  if (!(error instanceof ApiError)) return true;
  const isAnswer = error.code >= 100 && error.code < 500;
  return !isAnswer || isConflict(error) || isAlreadyExists(error);
}
