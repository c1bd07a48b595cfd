import { setImmediate, setTimeout } from 'node:timers/promises';

/** Resolves after `ms`, or when `signal` is aborted. */
export function timer(ms: number, signal: AbortSignal): Promise<void> {
  return setTimeout(ms, undefined, { signal }).catch(() => undefined);
}

/** Resolves after what has been put off until a later turn of the event loop. */
export function laterTurn(): Promise<void> {
  return setImmediate();
}
