import {
  type Clock,
  isAborted,
  type ObjectList,
  type Random,
  sleep,
  type WatchEvent,
} from '@kubewright/client';
import type { KubeObject } from '@kubewright/kube';
import { type Backoff, backoffDelay } from '../backoff.ts';
import { RuntimeError } from '../runtime-error.ts';
import {
  INITIAL_STATE,
  type ReflectorEvent,
  type ReflectorInput,
  type ReflectorState,
  transition,
} from './reflector-state.ts';

/** The two calls of a reflector: a `Client` bound to one resource, namespace and selector. */
export type ListWatch<T extends KubeObject = KubeObject> = {
  list(page: string | undefined, signal: AbortSignal): Promise<ObjectList<T>>;
  /** `onOpen` is called when the server has accepted the watch. */
  watch(
    resourceVersion: string,
    timeoutSeconds: number,
    signal: AbortSignal,
    onOpen: () => void,
  ): AsyncIterable<WatchEvent<T>>;
  /** Of an optional kind: whether the server served it when it was last listed. Absent: the kind has to be served. */
  isServed?(): boolean;
};

export type ReflectorOptions<T extends KubeObject = KubeObject> = {
  readonly source: ListWatch<T>;
  readonly clock: Clock;
  readonly random: Random;
  /** Called with each event, in order. Must not throw. */
  readonly onEvent: (event: ReflectorEvent<T>) => void;
  /** Called with each new state and the outcome that led to it: for health and logs. Must not throw. */
  readonly onState?: (state: ReflectorState, input: ReflectorInput<T>['type']) => void;
  /** Default 0.8 s doubling to 30 s, half of it jitter. */
  readonly backoff?: Backoff;
};

const DEFAULT_BACKOFF: Backoff = { baseMs: 800, maxMs: 30_000 };
/** `timeoutSeconds` of a watch: 5 to 10 minutes at random, so that watches do not all restart together. */
const WATCH_SECONDS = 300;

/** Drives the state machine of {@link ReflectorState} until `signal` is aborted. Never rejects. */
export async function runReflector<T extends KubeObject>(
  options: ReflectorOptions<T>,
  signal: AbortSignal,
): Promise<void> {
  let state = INITIAL_STATE;
  const feed = (input: ReflectorInput<T>): void => {
    const next = transition<T>(state, input);
    state = next.state;
    for (const event of next.events) options.onEvent(event);
    options.onState?.(state, input.type);
  };
  while (!signal.aborted) {
    try {
      await step(state, options, feed, signal);
    } catch (error) {
      if (signal.aborted) return;
      feed({
        type: 'Failed',
        error: isAborted(error) ? new RuntimeError('Aborted', 'a call was aborted', { cause: error }) : error,
      });
    }
  }
}

/** Runs the state's step once, and feeds its outcomes. */
async function step<T extends KubeObject>(
  state: ReflectorState,
  options: ReflectorOptions<T>,
  feed: (input: ReflectorInput<T>) => void,
  signal: AbortSignal,
): Promise<void> {
  switch (state.type) {
    case 'Empty':
      return feed({ type: 'Page', page: await options.source.list(undefined, signal) });
    case 'Listing':
      return feed({ type: 'Page', page: await options.source.list(state.continue, signal) });
    case 'Waiting':
      await sleep(options.clock, waitOf(options, state.failures), signal);
      return feed({ type: 'Waited' });
    case 'Watching':
      return watch(state.resourceVersion, options, feed, signal);
  }
}

async function watch<T extends KubeObject>(
  resourceVersion: string,
  { source, random }: ReflectorOptions<T>,
  feed: (input: ReflectorInput<T>) => void,
  signal: AbortSignal,
): Promise<void> {
  const timeoutSeconds = Math.round(WATCH_SECONDS * (1 + random()));
  const onOpen = (): void => feed({ type: 'Opened' });
  for await (const event of source.watch(resourceVersion, timeoutSeconds, signal, onOpen)) {
    if (signal.aborted) return;
    feed({ type: 'Event', event });
    // After an ERROR nothing follows; the state is Waiting already.
    if (event.type === 'ERROR') return;
  }
  if (!signal.aborted) feed({ type: 'Ended' });
}

function waitOf<T extends KubeObject>(options: ReflectorOptions<T>, failures: number): number {
  const full = backoffDelay(options.backoff ?? DEFAULT_BACKOFF, failures);
  return full * (0.5 + options.random() / 2);
}
