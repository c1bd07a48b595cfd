/** Exponential backoff: `base`, 2·`base`, … up to `max` milliseconds. */
export type Backoff = { readonly baseMs: number; readonly maxMs: number };

/** The delay after the `failures`th failure in a row (1 is the first). */
export function backoffDelay({ baseMs, maxMs }: Backoff, failures: number): number {
  // Beyond this bound the power exceeds every maximum; without it, it would become infinite.
  return Math.min(maxMs, baseMs * 2 ** Math.min(failures - 1, 60));
}
