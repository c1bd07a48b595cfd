import { onAbort } from './on-abort.ts';

/**
 * Time as every package sees it. Injected everywhere, so that a test or the simulation owns it; the
 * system adapter below is the only place that reads the real one.
 */
export type Clock = {
  /** Wall time, milliseconds since 1970. May jump. */
  now(): number;
  /** Milliseconds on a line that never goes back. Only differences mean something. */
  monotonic(): number;
  /**
   * Calls `callback` once after `ms` milliseconds, and soon where that is negative or no number. Returns a function that
   * cancels it. With `background` the timer alone does not keep the process alive.
   */
  after(ms: number, callback: () => void, options?: { readonly background?: boolean }): () => void;
};

/** `setTimeout` fires at once above this, with a warning; longer waits are waited in pieces. */
const LONGEST_TIMER = 2 ** 31 - 1;

/** The real clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(ms, callback, options) {
    let timer: NodeJS.Timeout;
    const arm = (left: number): void => {
      // Node.js warns of delays that are negative or no number: a time that is over already is common.
      const piece = left > 0 ? Math.min(left, LONGEST_TIMER) : 0;
      timer = setTimeout(() => (left > piece ? arm(left - piece) : callback()), piece);
      if (options?.background === true) timer.unref();
    };
    arm(ms);
    return () => clearTimeout(timer);
  },
};

/** Resolves after `ms`, or at once when `signal` is aborted: check the signal afterwards. Never rejects. */
export function sleep(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
  if (signal?.aborted === true) return Promise.resolve();
  return new Promise((resolve) => {
    const finish = (): void => {
      cancel();
      forget();
      resolve();
    };
    const cancel = clock.after(ms, finish);
    const forget = onAbort(signal, finish);
  });
}
