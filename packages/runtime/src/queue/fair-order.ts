/**
 * Entries in turns: one of each group, each group in its order of arrival. With a single group it is first in, first out.
 *
 * `#turns` stays behind the groups that had their turn and sees later ones, and so does `order` in each group: a new iterator would
 * step over all entries that were taken since the Map last grew, each time.
 *
 * Invariant: no group is empty, and `#turns` has passed none that is there: it would stay at its end once it had reached that.
 */
export class FairOrder<T> {
  readonly #groups = new Map<string, Group<T>>();
  #turns = this.#groups.entries();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Puts the entry of a key, which is not there yet, behind those of its group. */
  add(group: string, key: string, entry: T): void {
    const { entries } = this.#groups.get(group) ?? this.#begin(group);
    entries.set(key, entry);
    this.#size++;
  }

  delete(group: string, key: string): void {
    const found = this.#groups.get(group);
    if (found?.entries.delete(key) !== true) return;
    this.#size--;
    if (found.entries.size === 0) this.#groups.delete(group);
    // An iterator that is not advanced keeps the former table of its Map alive: start new ones.
    found.order = found.entries.entries();
    this.#turns = this.#groups.entries();
  }

  /** Takes the entry whose turn it is, of the groups that are not `isFull`. */
  take(isFull: (group: string) => boolean): readonly [key: string, entry: T] | undefined {
    for (let left = this.#groups.size; left > 0; left--) {
      const turn = this.#turns.next().value;
      if (turn === undefined) return undefined;
      const [name, group] = turn;
      const taken = isFull(name) ? undefined : takeFirst(group);
      if (taken !== undefined) this.#size--;
      this.#groups.delete(name);
      if (group.entries.size > 0) this.#groups.set(name, group);
      if (taken !== undefined) return taken;
    }
    return undefined;
  }

  #begin(name: string): Group<T> {
    const entries = new Map<string, T>();
    const group = { entries, order: entries.entries() };
    this.#groups.set(name, group);
    return group;
  }
}

type Group<T> = {
  readonly entries: Map<string, T>;
  order: IterableIterator<[string, T]>;
};

function takeFirst<T>({ entries, order }: Group<T>): readonly [key: string, entry: T] | undefined {
  const first = order.next().value;
  if (first !== undefined) entries.delete(first[0]);
  return first;
}
