import { isDeepStrictEqual } from 'node:util';
import { type Clock, createClient } from '@kubewright/client';
import type { Transport } from '@kubewright/kube';
import {
  type EventNote,
  type Io,
  type Result,
  runSteps,
  silentLogger,
  type Steps,
} from '@kubewright/runtime';

/** Where one run of steps ended. */
export type Ran<S> = {
  readonly state: S;
  readonly events: readonly EventNote[];
  /** The last decision's reason. */
  readonly reason: string;
} & Result;

/** Time stands still and every wait is over at once. */
const clock: Clock = {
  now: () => Date.UTC(2026, 0, 1),
  monotonic: () => 0,
  after(_ms, callback) {
    queueMicrotask(callback);
    return () => undefined;
  },
};

const nobody: Transport = {
  request: () => Promise.reject(new TypeError('these steps call no server of their own')),
  close: () => Promise.resolve(),
};

/** Runs steps once, for a test: the status is kept in memory, Events are collected, nobody waits. */
export async function runWith<O, A, S>(
  stepsFor: (stateOf: () => S) => Steps<O, A, S>,
  initial: S,
  time: Pick<Clock, 'now'> = clock,
): Promise<Ran<S>> {
  let state = initial;
  const events: EventNote[] = [];
  const { signal } = new AbortController();
  const io: Omit<Io, 'cache'> = {
    client: createClient(nobody),
    clock: { ...clock, ...time },
    random: () => 0,
    signal,
    log: silentLogger,
    controller: 'test',
  };
  const host = {
    io: io as Io,
    isNews: (_observed: O, next: S) => !isDeepStrictEqual(state, next),
    async record(_observed: O, next: S): Promise<'done'> {
      state = next;
      return 'done';
    },
    report: () => undefined,
    notify: (_observed: O, decision: { readonly events?: readonly EventNote[] }) =>
      void events.push(...(decision.events ?? [])),
  };
  const { reason = '', result } = await runSteps(
    stepsFor(() => state),
    { name: 'test' },
    host,
  );
  return { state, events, reason, ...result };
}
