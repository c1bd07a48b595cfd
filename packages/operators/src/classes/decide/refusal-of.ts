import type { Refused } from '../api.ts';
import type { Facts } from './facts.ts';
import { BACKOFF, secondsSince } from './seconds-since.ts';

/** Seconds until an invalid apply, or one of a name that is taken, is tried again. */
export const RETRY_INVALID = 300;

/** The rejection of what is wanted now: a new generation, or another rendering, is tried at once. */
export function refusalOf({ phase, lifecycle: { refused }, rendering, runtime }: Facts): Refused | undefined {
  const isCurrent = refused?.hash === rendering?.hash && refused?.generation === runtime.metadata.generation;
  return phase === 'degraded' && isCurrent ? refused : undefined;
}

/** Whether an apply may be tried: again, where the server rejected it. */
export function isDue(facts: Facts): boolean {
  const refused = refusalOf(facts);
  if (refused === undefined) return true;
  const { at, reason } = refused;
  return (
    secondsSince(at, facts.now) >= backoffAfter(reason, secondsSince(facts.lifecycle.since, new Date(at)))
  );
}

/** Seconds until a rejected apply is tried again. */
export function backoffAfter(reason: string, elapsed: number): number {
  return reason === 'ApplyInvalid' || reason === 'NotOwned' ? RETRY_INVALID : BACKOFF.degraded(elapsed);
}
