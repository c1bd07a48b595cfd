/**
 * At most `places` items have a turn at once. The others wait, and peers take turns, however many items one of them has. Of a
 * peer the newest is next: where it is flooded, what waits longest has the least to gain.
 */
export class PeerTurns<T> {
  readonly #places: number;
  readonly #holding = new Set<T>();
  /** By peer; the peer at the front is the next. */
  readonly #waiting = new Map<string, T[]>();

  constructor(places: number) {
    this.#places = places;
  }

  /** Whether any item waits for a place. */
  get isWanted(): boolean {
    return this.#waiting.size > 0;
  }

  has(item: T): boolean {
    return this.#holding.has(item);
  }

  /** True: it has its turn at once. Else it waits. */
  enter(peer: string, item: T): boolean {
    if (this.#holding.size < this.#places) {
      this.#holding.add(item);
      return true;
    }
    const waiting = this.#waiting.get(peer);
    if (waiting === undefined) this.#waiting.set(peer, [item]);
    else waiting.push(item);
    return false;
  }

  /** Ends a turn, or waiting for one. Returns the item whose turn it is now. */
  leave(peer: string, item: T): T | undefined {
    if (!this.#holding.delete(item)) {
      const left = (this.#waiting.get(peer) ?? []).filter((one) => one !== item);
      if (left.length === 0) this.#waiting.delete(peer);
      else this.#waiting.set(peer, left);
      return undefined;
    }
    const [first] = this.#waiting;
    if (first === undefined) return undefined;
    const [nextPeer, items] = first;
    const next = items.pop();
    // The peer goes to the end of the line.
    this.#waiting.delete(nextPeer);
    if (items.length > 0) this.#waiting.set(nextPeer, items);
    if (next !== undefined) this.#holding.add(next);
    return next;
  }
}
