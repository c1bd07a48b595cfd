import { backoffDelay } from '@kubewright/runtime';

/** For how long a failed pod is left alone: 1 s after the first, doubling to a quarter of an hour. */
const BACKOFF = { baseMs: 1000, maxMs: 15 * 60_000 };
/** After so long without a failure the next one is the first again. */
const FORGOTTEN_MS = 2 * BACKOFF.maxMs;

export type FailureBackoff = {
  /** Milliseconds from `now` until a failed pod may be removed again; not positive: at once. */
  wait(key: string, now: number): number;
  /** A failed pod is being removed. */
  note(key: string, now: number): void;
};

/** Without it, kubelets that reject a pod and the controller that recreates it would go on for ever. */
export function createFailureBackoff(): FailureBackoff {
  const failures = new Map<string, { readonly count: number; readonly at: number }>();
  const recent = (key: string, now: number) => {
    const found = failures.get(key);
    return found === undefined || now - found.at > FORGOTTEN_MS ? undefined : found;
  };
  return {
    wait(key, now) {
      const found = recent(key, now);
      return found === undefined ? 0 : found.at + backoffDelay(BACKOFF, found.count) - now;
    },
    note(key, now) {
      const count = (recent(key, now)?.count ?? 0) + 1;
      for (const [other, { at }] of failures) if (now - at > FORGOTTEN_MS) failures.delete(other);
      failures.set(key, { count, at: now });
    },
  };
}
