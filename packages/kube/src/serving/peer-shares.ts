/**
 * What peers hold of a process (connections, bodies that have not come), `limit` of it in all. One too many is at the expense
 * of the peer that holds the most, and of what it has not used for the longest time: who floods displaces itself.
 */
export class PeerShares<T> {
  readonly #limit: number;
  /** By peer, in the order of use. */
  readonly #held = new Map<string, Set<T>>();
  #size = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get size(): number {
    return this.#size;
  }

  /** Returns what has to go, which may be `item` itself: its owner ends it and calls {@link delete}. */
  add(peer: string, item: T): T | undefined {
    const items = this.#held.get(peer) ?? new Set();
    this.#held.set(peer, items.add(item));
    this.#size++;
    return this.#size > this.#limit ? this.#oldestOfMost() : undefined;
  }

  delete(peer: string, item: T): void {
    const items = this.#held.get(peer);
    if (items?.delete(item) !== true) return;
    this.#size--;
    if (items.size === 0) this.#held.delete(peer);
  }

  /** It is in use: others of its peer go before it. */
  touch(peer: string, item: T): void {
    const items = this.#held.get(peer);
    if (items?.delete(item) === true) items.add(item);
  }

  *[Symbol.iterator](): Generator<T, void> {
    for (const items of this.#held.values()) yield* items;
  }

  #oldestOfMost(): T | undefined {
    let most: Set<T> = new Set();
    for (const items of this.#held.values()) if (items.size > most.size) most = items;
    const [oldest] = most;
    return oldest;
  }
}
