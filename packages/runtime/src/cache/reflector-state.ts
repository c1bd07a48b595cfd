import { isGone, ApiError, type ObjectList, type WatchEvent } from '@kubewright/client';
import type { KubeObject, Stored } from '@kubewright/kube';

/**
 * The next step of a reflector, after kube-rs' watcher: list page by page, then watch from the list's resourceVersion.
 * After a failure, resume from the last version seen; relist only when the server no longer has that version.
 *
 * ```
 *            Page(continue)            Page(last)              Event, Bookmark
 *   Empty ───────────────▶ Listing ───────────────▶ Watching ◀──────────────┐
 *     ▲  ╲______________________________________▲    │   └─────────────────┘
 *     │                 Page(last)                   │ Ended, Failed
 *     └────────────────── Waiting ◀──────────────────┘  410: back to Empty, else back to where it was
 * ```
 */
export type ReflectorState =
  /** Nothing is known: the next step requests the first page. */
  | { readonly type: 'Empty'; readonly failures: number }
  /** Between two pages of one list. */
  | { readonly type: 'Listing'; readonly continue: string; readonly failures: number }
  /**
   * The list is complete: a watch is open or about to be, from `resourceVersion`. Every event up to that version
   * has been emitted, so a new watch from it misses nothing. `heard`: the present watch has delivered an event.
   */
  | {
      readonly type: 'Watching';
      readonly resourceVersion: string;
      readonly failures: number;
      readonly heard: boolean;
    }
  /** Something failed: back off, then go on with `resume`. */
  | {
      readonly type: 'Waiting';
      readonly resume: ActiveState;
      readonly failures: number;
      readonly error?: unknown;
    };

type ActiveState = Exclude<ReflectorState, { readonly type: 'Waiting' }>;

/** The outcome of a step. */
export type ReflectorInput<T extends KubeObject = KubeObject> =
  | { readonly type: 'Page'; readonly page: ObjectList<T> }
  /** The server accepted the watch. */
  | { readonly type: 'Opened' }
  | { readonly type: 'Event'; readonly event: WatchEvent<T> }
  /** The server ended the watch, as it does every few minutes. */
  | { readonly type: 'Ended' }
  | { readonly type: 'Failed'; readonly error: unknown }
  | { readonly type: 'Waited' };

/**
 * An event of a reflector. Between two `Restarted` the sequence is: `Listed`*, `Synced`, then any number of `Applied`,
 * `Deleted`, `Bookmarked`. Deletions while no watch was open are not reported one by one: an object that was not
 * `Listed` before `Synced` is gone.
 */
export type ReflectorEvent<T extends KubeObject = KubeObject> =
  | { readonly type: 'Restarted' }
  | { readonly type: 'Listed'; readonly objects: readonly Stored<T>[] }
  | { readonly type: 'Synced' }
  | { readonly type: 'Applied'; readonly object: Stored<T> }
  | { readonly type: 'Deleted'; readonly object: Stored<T> }
  | { readonly type: 'Bookmarked'; readonly resourceVersion: string };

export type Transition<T extends KubeObject = KubeObject> = {
  readonly state: ReflectorState;
  readonly events: readonly ReflectorEvent<T>[];
};

export const INITIAL_STATE: ReflectorState = { type: 'Empty', failures: 0 };

/** The transition function: pure, total over what can happen in each state. */
export function transition<T extends KubeObject>(
  state: ReflectorState,
  input: ReflectorInput<T>,
): Transition<T> {
  switch (input.type) {
    case 'Page':
      return onPage(state, input.page);
    // Does not reset the failures yet: the watch may end at once.
    case 'Opened':
      return only(state);
    case 'Event':
      return onEvent(state, input.event);
    case 'Ended':
      return only(onEnded(state));
    case 'Failed':
      return only(onFailed(state, input.error));
    case 'Waited':
      return only(state.type === 'Waiting' ? { ...state.resume, failures: state.failures } : state);
  }
}

/** Empty or Listing → Listing while there are more pages, → Watching after the last. */
function onPage<T extends KubeObject>(state: ReflectorState, page: ObjectList<T>): Transition<T> {
  const begun: readonly ReflectorEvent<T>[] = state.type === 'Empty' ? [{ type: 'Restarted' }] : [];
  const listed: readonly ReflectorEvent<T>[] = [...begun, { type: 'Listed', objects: page.items }];
  if (page.continue !== undefined) {
    return { state: { type: 'Listing', continue: page.continue, failures: 0 }, events: listed };
  }
  return {
    // Failures are reset by the first event: a watch that always fails must not relist at full speed.
    state: {
      type: 'Watching',
      resourceVersion: page.resourceVersion,
      failures: state.failures,
      heard: false,
    },
    events: [...listed, { type: 'Synced' }],
  };
}

/** Watching → Watching with the event's version; an ERROR is a failure like any other. */
function onEvent<T extends KubeObject>(state: ReflectorState, event: WatchEvent<T>): Transition<T> {
  if (state.type !== 'Watching') return only(state);
  if (event.type === 'ERROR') return only(onFailed(state, new ApiError(event.status)));
  const { resourceVersion = state.resourceVersion } = event.object.metadata;
  const watching = { type: 'Watching', resourceVersion, failures: 0, heard: true } as const;
  switch (event.type) {
    case 'BOOKMARK':
      return { state: watching, events: [{ type: 'Bookmarked', resourceVersion }] };
    case 'DELETED':
      return { state: watching, events: [{ type: 'Deleted', object: event.object }] };
    default:
      return { state: watching, events: [{ type: 'Applied', object: event.object }] };
  }
}

/** Watching → Watching at once; but a watch that ended without an event counts as a failure, or it could spin. */
function onEnded(state: ReflectorState): ReflectorState {
  if (state.type !== 'Watching' || state.heard) return resumed(state);
  return waiting(state, resumed(state));
}

/**
 * Empty → Waiting → Empty. Listing or Watching → Waiting → the same again after a transient failure, → Empty
 * after any other: 410 (the version or the continue token is too old) or an invalid response.
 */
function onFailed(state: ReflectorState, error: unknown): ReflectorState {
  const lost = isGone(error) || !isOfTheMoment(error);
  return waiting(state, lost ? { type: 'Empty', failures: 0 } : resumed(state), error);
}

/** Roles and tokens change: after a denied request the position in the stream is still valid. */
function isOfTheMoment(error: unknown): boolean {
  return error instanceof ApiError && (error.retryable || error.code === 401 || error.code === 403);
}

function resumed(state: ReflectorState): ActiveState {
  if (state.type === 'Waiting') return state.resume;
  return state.type === 'Watching' ? { ...state, heard: false } : state;
}

function waiting(state: ReflectorState, resume: ActiveState, error?: unknown): ReflectorState {
  const failures = state.failures + 1;
  return { type: 'Waiting', resume, failures, ...(error === undefined ? {} : { error }) };
}

function only<T extends KubeObject>(state: ReflectorState): Transition<T> {
  return { state, events: [] };
}
