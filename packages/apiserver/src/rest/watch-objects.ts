import {
  deepFreeze,
  errorText,
  type Json,
  type KubeObject,
  onAbort,
  withDecodedValue,
  stringifyJson,
  apiVersionOf,
} from '@kubewright/kube';
import { collectionOf } from '../storage/collection-of.ts';
import { errorFrame, type EventType, frame, frameOf, type StoreEvent } from '../storage/store-event.ts';
import { atOnce, inTurn, type Push } from './push-frames.ts';
import { encodedAs, type StoredObject, storeObject } from '../storage/stored-object.ts';
import { inVersion } from '../model/in-version.ts';
import { WatchQueue } from '../storage/watch-queue.ts';
import { expired, failure, isStatusError, revisionTooLarge } from '../api-server-error.ts';
import { type RestContext } from './rest-context.ts';
import { convertAll, converting } from './converting.ts';
import type { ResourceRequest } from './resource-request.ts';
import { listObjects, parseRevision } from './list-objects.ts';
import type { ListOptions } from './list-options.ts';
import type { Reply } from '../request/reply.ts';
import type { Steps } from '../request/steps.ts';
import { tableRequest } from './respond-object.ts';
import { partialMetadata, tableOf } from './table-of.ts';

/** A real server ends a watch that names no timeout after 30 to 60 minutes, at random. */
const SHORTEST_SECONDS = 1800;
/** How often a quiet watch with `allowWatchBookmarks` gets a bookmark. */
const BOOKMARK_MS = 60_000;

/** How a watcher wants its objects: shared frames for whole objects, own ones for tables and metadata. */
type Frames = {
  readonly event: (event: StoreEvent, type: EventType, object: StoredObject) => Uint8Array;
  readonly initial: (object: StoredObject) => Uint8Array;
  readonly bookmark: (revision: number, initialEnd: boolean) => Uint8Array;
};

/** GET with `watch`: the events from a revision on, as they come. */
export function* watchObjects(
  context: RestContext,
  request: ResourceRequest,
  options: ListOptions,
): Steps<Reply> {
  const headers = { 'content-type': 'application/json' };
  try {
    const opening = yield* openingOf(context, request, options);
    return { status: 200, headers, body: openWatch(context, request, options, opening) };
  } catch (error) {
    // As in the real server: once its parameters are valid, a watch sends its errors as an event.
    if (!isStatusError(error) || error.code === 500) throw error;
    const queue = new WatchQueue(1, [errorFrame(error.status)].values(), () => {});
    queue.end();
    return { status: 200, headers, body: queue };
  }
}

/** The initial events, and how later ones are written. */
type Opening = { readonly frames: Frames; readonly initial: Iterator<Uint8Array> };

/** Initial events are made when they are read, but those that a webhook has to convert before. */
function* openingOf(context: RestContext, request: ResourceRequest, options: ListOptions): Steps<Opening> {
  const { store } = context;
  const { definition } = request;
  const begin = (): Opening & { readonly initial: Iterable<Uint8Array> } => {
    const frames = framesFor(context, request);
    return { frames, initial: initialFrames(context, request, options, frames) };
  };
  if (definition.conversion === undefined) return begin();
  const collection = collectionOf(store, definition);
  for (;;) {
    const { revision } = store;
    yield* convertAll(context, definition, collection.entries);
    const { frames, initial } = yield* converting(context, () => {
      const opening = begin();
      return { ...opening, initial: [...opening.initial] };
    });
    // Nothing may be written between the initial events and the first one that is heard of.
    if (store.revision === revision) return { frames, initial: initial.values() };
  }
}

function openWatch(
  context: RestContext,
  request: ResourceRequest,
  options: ListOptions,
  { frames, initial }: Opening,
): WatchQueue {
  const { store, clock } = context;
  const { definition } = request;
  const signal = request.signal();
  const collection = collectionOf(store, definition);
  const stops: (() => void)[] = [];
  const queue = new WatchQueue(context.watchQueueLimit, initial, () => {
    for (const stop of stops) stop();
  });
  // A revision from the future is waited for in silence.
  const from = watchRevision(options.resourceVersion);
  const push = definition.conversion === undefined ? atOnce(queue) : inTurn(context, queue);
  const listen = (event: StoreEvent): void => {
    if (event.revision > from) push(() => frameFor(event, request, options, frames));
  };
  stops.push(collection.subscribe(listen));
  stops.push(store.onRestore(() => queue.end()));
  stops.push(clock.after(timeoutSeconds(context, options) * 1000, () => queue.end(), { background: true }));
  if (options.allowWatchBookmarks) stops.push(bookmarks(context, frames, push));
  stops.push(onAbort(signal, () => queue.end()));
  if (signal?.aborted === true) queue.end();
  return queue;
}

function timeoutSeconds({ random }: RestContext, { timeoutSeconds: wanted }: ListOptions): number {
  if (wanted > 0) return wanted;
  const [byte = 0] = random(1);
  return SHORTEST_SECONDS * (1 + byte / 256);
}

function bookmarks({ store, clock }: RestContext, frames: Frames, push: Push): () => void {
  let cancel = (): void => {};
  const next = (): void => {
    cancel = clock.after(
      BOOKMARK_MS,
      () => {
        const bookmark = frames.bookmark(store.revision, false);
        if (push(() => bookmark)) next();
      },
      { background: true },
    );
  };
  next();
  return () => cancel();
}

/** The event's line for this watcher; undefined when it is none of its business. */
function frameFor(
  event: StoreEvent,
  { definition, namespace }: ResourceRequest,
  { matches }: ListOptions,
  frames: Frames,
): Uint8Array | undefined {
  if (definition.namespaced && namespace !== '' && event.object.namespace !== namespace) return undefined;
  const type = matches === undefined ? event.type : typeFor(event, matches);
  if (type === undefined) return undefined;
  const gone = type === 'DELETED' && event.type !== 'DELETED';
  return frames.event(event, type, gone ? lastMatching(event) : event.object);
}

/** What an event is to a watcher with a selector: beginning to match is ADDED, ceasing to is DELETED. */
function typeFor(event: StoreEvent, matches: (object: KubeObject) => boolean): EventType | undefined {
  const before = event.previous !== undefined && matches(event.previous.object);
  const after = event.type !== 'DELETED' && matches(event.object.object);
  if (after) return before ? 'MODIFIED' : 'ADDED';
  return before ? 'DELETED' : undefined;
}

const lastMatches = new WeakMap<StoreEvent, StoredObject>();

/** The state in which an object last matched, under the revision at which it ceased to. */
function lastMatching(event: StoreEvent): StoredObject {
  const { previous, object, revision } = event;
  if (previous === undefined) return object;
  let last = lastMatches.get(event);
  if (last === undefined) {
    const metadata = { ...previous.object.metadata, resourceVersion: String(revision) };
    last = storeObject(previous.key, { ...previous.object, metadata }, revision);
    lastMatches.set(event, last);
  }
  return last;
}

/** The initial events: those since a revision, or the current state. Fixed now, made when read. */
function initialFrames(
  { store }: RestContext,
  request: ResourceRequest,
  options: ListOptions,
  frames: Frames,
): IterableIterator<Uint8Array> {
  const { definition } = request;
  const revision = watchRevision(options.resourceVersion);
  if (options.sendInitialEvents === true) {
    if (revision > store.revision) throw revisionTooLarge(BigInt(options.resourceVersion), store.revision);
    const { items } = listObjects(store, request, { ...options, ...EVERYTHING_NOW });
    const end = options.allowWatchBookmarks ? frames.bookmark(store.revision, true) : undefined;
    return present(items, end, frames);
  }
  if (revision === 0) return [].values();
  const collection = collectionOf(store, definition);
  const events = collection.since(revision);
  if (events !== undefined) return past(events, request, options, frames);
  throw expired(`too old resource version: ${revision} (${collection.lostRevision})`);
}

const EVERYTHING_NOW = { limit: 0, continueToken: '', resourceVersion: '', resourceVersionMatch: '' };

function watchRevision(text: string): number {
  try {
    return parseRevision(text);
  } catch (error) {
    throw failure(500, '', errorText(error));
  }
}

function* present(
  items: readonly StoredObject[],
  end: Uint8Array | undefined,
  frames: Frames,
): Generator<Uint8Array, undefined> {
  for (const item of items) yield frames.initial(item);
  if (end !== undefined) yield end;
}

function* past(
  events: readonly StoreEvent[],
  request: ResourceRequest,
  options: ListOptions,
  frames: Frames,
): Generator<Uint8Array, undefined> {
  for (const event of events) {
    const bytes = frameFor(event, request, options, frames);
    if (bytes !== undefined) yield bytes;
  }
}

function framesFor(context: RestContext, request: ResourceRequest): Frames {
  const { definition, output } = request;
  const apiVersion = apiVersionOf(definition);
  if (output.as === 'Object') {
    return {
      event: (event, type, object) =>
        object === event.object
          ? frameOf(event, type, definition)
          : frame(type, encodedAs(object, definition)),
      initial: (object) => frame('ADDED', encodedAs(object, definition)),
      bookmark: (revision, end) =>
        line('BOOKMARK', bookmarkObject(definition.kind, apiVersion, revision, end)),
    };
  }
  return transformedFrames(context, request, apiVersion);
}

function transformedFrames(context: RestContext, request: ResourceRequest, apiVersion: string): Frames {
  const { output, definition } = request;
  let headers = true;
  const shown = (object: KubeObject): Json => {
    if (output.as !== 'Table') return partialMetadata(object, output.metaVersion);
    const { resourceVersion = '' } = object.metadata;
    const table = tableOf(tableRequest(context, request), [object], { resourceVersion }, headers);
    headers = false;
    return table;
  };
  const of = (type: EventType, { object }: StoredObject): Uint8Array =>
    line(type, shown(inVersion(object, definition)), output.as !== 'Table');
  return {
    event: (_, type, object) => of(type, object),
    initial: (object) => of('ADDED', object),
    bookmark: (revision, end) =>
      line('BOOKMARK', shown(bookmarkObject(definition.kind, apiVersion, revision, end))),
  };
}

/** `shared` values have frozen members, as metadata has, and are passed as they are to readers in this process. */
function line(type: string, object: Json, shared = false): Uint8Array {
  const bytes = Buffer.from(`{"type":"${type}","object":${stringifyJson(object)}}\n`);
  return shared ? withDecodedValue(bytes, deepFreeze({ type, object })) : bytes;
}

function bookmarkObject(kind: string, apiVersion: string, revision: number, initialEnd: boolean): KubeObject {
  const metadata = { resourceVersion: String(revision) };
  const annotations = { 'k8s.io/initial-events-end': 'true' };
  return { kind, apiVersion, metadata: initialEnd ? { ...metadata, annotations } : metadata };
}
