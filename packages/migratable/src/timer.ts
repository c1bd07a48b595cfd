import { setTimeout } from 'node:timers/promises';

/** Resolves after `ms`, or when `signal` is aborted. */
export function timer(ms: number, signal: AbortSignal): Promise<void> {
  return setTimeout(ms, undefined, { signal }).catch(() => undefined);
}
