import { MigratableError } from './migratable-error.ts';

/** Resolves after `ms`, or when the signal is aborted. */
export type Timer = (ms: number, signal: AbortSignal) => Promise<void>;

/** A broker that is away takes its time to say so; one that permits nothing responds at once. */
const FORBIDDEN_MS = 500;
/** For half a minute. */
const MOST_FORBIDDEN = 60;

export type Waiting = { readonly timer: Timer; readonly signal: AbortSignal };

/**
 * Calls until the broker does it, or `signal` is aborted (undefined): one that is away, or forbids it, is waited for. Rejects with
 * anything else.
 */
export async function whileAway<T>(
  call: () => Promise<T>,
  { timer, signal }: Waiting,
): Promise<T | undefined> {
  while (!signal.aborted) {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof MigratableError) || !error.retryable) throw error;
      if (error.code === 'Forbidden') await timer(FORBIDDEN_MS, signal);
    }
  }
  return undefined;
}

/** Calls until the broker permits it, for half a minute; rejects as `call` does, and where `signal` is aborted meanwhile. */
export async function whileForbidden<T>(call: () => Promise<T>, { timer, signal }: Waiting): Promise<T> {
  for (let attempts = 1; ; attempts++) {
    try {
      return await call();
    } catch (error) {
      const isForbidden = error instanceof MigratableError && error.code === 'Forbidden';
      if (!isForbidden || attempts >= MOST_FORBIDDEN || signal.aborted) throw error;
    }
    await timer(FORBIDDEN_MS, signal);
  }
}
