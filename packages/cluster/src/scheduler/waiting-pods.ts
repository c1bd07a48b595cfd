import type { Request } from '@kubewright/runtime';
import type { FilterName } from './filters/filter.ts';

type Waiting = {
  readonly request: Request;
  readonly priority: number;
  readonly filters: ReadonlySet<FilterName>;
  readonly attempts: number;
  /** On the monotonic clock. */
  readonly notBefore: number;
};

/** kube-scheduler's `podInitialBackoffSeconds` and `podMaxBackoffSeconds`. */
const FIRST_BACKOFF_MS = 1000;
const LONGEST_BACKOFF_MS = 10_000;

/** Pods that fit nowhere: they wait for a change that could help them, and each time a little longer. */
export class WaitingPods {
  readonly #pods = new Map<string, Waiting>();

  /** The pod was tried at `now`, and `filters` turned it away. */
  addUnschedulable(key: string, pod: Pick<Waiting, 'request' | 'priority' | 'filters'>, now: number): void {
    const attempts = (this.#pods.get(key)?.attempts ?? 0) + 1;
    const backoff = Math.min(FIRST_BACKOFF_MS * 2 ** (attempts - 1), LONGEST_BACKOFF_MS);
    this.#pods.set(key, { ...pod, attempts, notBefore: now + backoff });
  }

  /** Milliseconds before it may be tried again. */
  delay(key: string, now: number): number {
    return Math.max(0, (this.#pods.get(key)?.notBefore ?? 0) - now);
  }

  forget(key: string): void {
    this.#pods.delete(key);
  }

  /** Those that a change of what `filters` look at could help; without filters, all. */
  *helpedBy(filters?: readonly FilterName[]): Iterable<Pick<Waiting, 'request' | 'priority'>> {
    for (const waiting of this.#pods.values()) {
      // Without a filter that rejected it there were no nodes.
      const helped = filters === undefined || filters.some((filter) => waiting.filters.has(filter));
      if (helped) yield waiting;
    }
  }
}
