import type { Clock } from '@kubewright/client';
import { type Backoff, backoffDelay } from '../backoff.ts';
import { FairOrder } from './fair-order.ts';

/** Called as keys move through the queue. Times are milliseconds. */
export type QueueObserver = {
  readonly onAdd?: (depth: number) => void;
  readonly onTake?: (depth: number, waitedMs: number) => void;
  readonly onDone?: (workedMs: number) => void;
  /** An item is added with a delay: after a failure, or on request. */
  readonly onRetry?: () => void;
  /** How many items of a priority wait now. */
  readonly onDepth?: (priority: number, depth: number) => void;
};

export type WorkQueueOptions<T> = {
  readonly clock: Clock;
  /** Items with the same key are one. */
  readonly keyOf: (item: T) => string;
  /** Delay after an item's nth failure in a row. Default 5 ms doubling to 1000 s. */
  readonly backoff?: Backoff;
  readonly observer?: QueueObserver;
  /** Default: all items are one group, without a bound. */
  readonly groups?: QueueGroups<T>;
};

/** Groups of items take turns within a priority, so that one with many items does not hold up the others. */
export type QueueGroups<T> = {
  readonly of: (item: T) => string;
  /** How many items of one group are processed at a time. */
  readonly maxConcurrent: number;
};

const DEFAULT_BACKOFF: Backoff = { baseMs: 5, maxMs: 1_000_000 };

type Waiting<T> = { readonly item: T; readonly priority: number; readonly since: number };
type Delayed = { readonly at: number; readonly priority: number; readonly cancel: () => void };
type Work = { readonly since: number; readonly priority: number; readonly group: string };
type Taker<T> = (item: T | undefined) => void;

/**
 * The queue of a controller, after client-go's workqueue.
 *
 * - A waiting item is not added twice.
 * - An item that is being processed is added again when that is done: never two workers on one key.
 * - Higher priorities first; within a priority, groups take turns, and each is FIFO.
 * - Items of a group that is processed as often as it may be wait, and those of other groups, or of lower priorities, do not.
 *
 * Invariant: a key is in at most one of `#ready` and `#working`; `#again` holds keys that are also in `#working`.
 */
export class WorkQueue<T> {
  readonly #options: WorkQueueOptions<T>;
  readonly #observer: QueueObserver;
  /** By priority; none is empty. */
  readonly #ready = new Map<number, FairOrder<Waiting<T>>>();
  readonly #priorityOf = new Map<string, number>();
  readonly #working = new Map<string, Work>();
  /** How many of each group are processed; none is 0. */
  readonly #busy = new Map<string, number>();
  readonly #again = new Map<string, Waiting<T>>();
  readonly #delayed = new Map<string, Delayed>();
  readonly #failures = new Map<string, number>();
  readonly #takers: Taker<T>[] = [];
  #shutDown = false;

  constructor(options: WorkQueueOptions<T>) {
    this.#options = options;
    this.#observer = options.observer ?? {};
  }

  /** Items that wait, not counting delayed ones. */
  get depth(): number {
    return this.#priorityOf.size;
  }

  add(item: T, priority: number = 0): void {
    if (this.#shutDown) return;
    const key = this.#options.keyOf(item);
    const waiting = { item, priority, since: this.#options.clock.monotonic() };
    if (!this.#working.has(key)) this.#enqueue(key, waiting);
    else if (priority >= (this.#again.get(key)?.priority ?? priority)) this.#again.set(key, waiting);
  }

  /** Adds an item after `ms`. Of several delays of one key the earliest counts, and the highest priority. */
  addAfter(item: T, ms: number, priority: number = 0): void {
    if (this.#shutDown) return;
    if (ms <= 0) {
      this.add(item, priority);
      return;
    }
    const { clock, keyOf } = this.#options;
    this.#observer.onRetry?.();
    const key = keyOf(item);
    const now = clock.monotonic();
    const known = this.#delayed.get(key);
    known?.cancel();
    const at = Math.min(now + ms, known?.at ?? Number.POSITIVE_INFINITY);
    const highest = Math.max(priority, known?.priority ?? priority);
    const cancel = clock.after(at - now, () => {
      this.#delayed.delete(key);
      this.add(item, highest);
    });
    this.#delayed.set(key, { at, priority: highest, cancel });
  }

  /** Adds an item after the backoff of its failures in a row, at least `leastMs`, and counts one more failure. */
  addRateLimited(item: T, priority: number = 0, leastMs: number = 0): void {
    const key = this.#options.keyOf(item);
    const failures = (this.#failures.get(key) ?? 0) + 1;
    this.#failures.set(key, failures);
    const delay = backoffDelay(this.#options.backoff ?? DEFAULT_BACKOFF, failures);
    this.addAfter(item, Math.max(delay, leastMs), priority);
  }

  /** Resets the item's backoff: its next failure is the first. */
  forget(item: T): void {
    this.#failures.delete(this.#options.keyOf(item));
  }

  /** The priority of an item that is being processed; 0 for any other. */
  priorityOf(item: T): number {
    return this.#working.get(this.#options.keyOf(item))?.priority ?? 0;
  }

  failures(item: T): number {
    return this.#failures.get(this.#options.keyOf(item)) ?? 0;
  }

  /** Waits for the next item; call {@link done} when it is processed. `undefined` after shutDown. */
  take(): Promise<T | undefined> {
    const next = this.#next();
    if (next !== undefined) return Promise.resolve(next);
    if (this.#shutDown) return Promise.resolve(undefined);
    return new Promise((resolve) => this.#takers.push(resolve));
  }

  done(item: T): void {
    const key = this.#options.keyOf(item);
    const work = this.#working.get(key);
    if (work === undefined) return;
    this.#working.delete(key);
    this.#count(work.group, -1);
    this.#observer.onDone?.(this.#options.clock.monotonic() - work.since);
    const again = this.#again.get(key);
    this.#again.delete(key);
    if (again !== undefined && !this.#shutDown) this.#enqueue(key, again);
    this.#serve();
  }

  /** Gives out no more items and drops delayed ones. Items that were taken go on. */
  shutDown(): void {
    this.#shutDown = true;
    for (const { cancel } of this.#delayed.values()) cancel();
    this.#delayed.clear();
    for (const priority of this.#ready.keys()) this.#observer.onDepth?.(priority, 0);
    this.#ready.clear();
    this.#priorityOf.clear();
    for (const taker of this.#takers.splice(0)) taker(undefined);
  }

  /** For each item that is being processed, the milliseconds since it was taken. */
  workingFor(): readonly number[] {
    const now = this.#options.clock.monotonic();
    return [...this.#working.values()].map(({ since }) => now - since);
  }

  #enqueue(key: string, waiting: Waiting<T>): void {
    const known = this.#priorityOf.get(key);
    if (known !== undefined && known >= waiting.priority) return;
    const group = this.#groupOf(waiting.item);
    if (known !== undefined) {
      this.#ready.get(known)?.delete(group, key);
      this.#dequeued(key, known);
    }
    const order = this.#ready.get(waiting.priority) ?? new FairOrder<Waiting<T>>();
    this.#ready.set(waiting.priority, order);
    order.add(group, key, waiting);
    this.#priorityOf.set(key, waiting.priority);
    this.#observer.onDepth?.(waiting.priority, order.size);
    if (known === undefined) this.#observer.onAdd?.(this.depth);
    this.#serve();
  }

  /** Gives out what may be processed, as long as somebody waits for it. */
  #serve(): void {
    while (this.#takers.length > 0) {
      const next = this.#next();
      if (next === undefined) return;
      this.#takers.shift()?.(next);
    }
  }

  #dequeued(key: string, priority: number): void {
    const left = this.#ready.get(priority)?.size ?? 0;
    if (left === 0) this.#ready.delete(priority);
    this.#priorityOf.delete(key);
    this.#observer.onDepth?.(priority, left);
  }

  #next(): T | undefined {
    for (const priority of [...this.#ready.keys()].sort((a, b) => b - a)) {
      const first = this.#ready.get(priority)?.take((group) => this.#isFull(group));
      if (first !== undefined) return this.#take(first, priority);
    }
    return undefined;
  }

  #take([key, { item, since }]: readonly [key: string, Waiting<T>], priority: number): T {
    this.#dequeued(key, priority);
    const now = this.#options.clock.monotonic();
    const group = this.#groupOf(item);
    this.#working.set(key, { since: now, priority, group });
    this.#count(group, 1);
    this.#observer.onTake?.(this.depth, now - since);
    return item;
  }

  #groupOf(item: T): string {
    return this.#options.groups?.of(item) ?? '';
  }

  #isFull(group: string): boolean {
    const { groups } = this.#options;
    return groups !== undefined && (this.#busy.get(group) ?? 0) >= groups.maxConcurrent;
  }

  #count(group: string, change: 1 | -1): void {
    const count = (this.#busy.get(group) ?? 0) + change;
    if (count === 0) this.#busy.delete(group);
    else this.#busy.set(group, count);
  }
}
