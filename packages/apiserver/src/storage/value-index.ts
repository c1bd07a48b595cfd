import type { ValuesOf } from '../model/resource-definition.ts';
import type { StoredObject } from './stored-object.ts';

/** Which entries of a collection have a value. */
export class ValueIndex {
  readonly #valuesOf: ValuesOf;
  readonly #entries = new Map<string, Set<StoredObject>>();

  constructor(valuesOf: ValuesOf, entries: readonly StoredObject[]) {
    this.#valuesOf = valuesOf;
    for (const entry of entries) this.replace(undefined, entry);
  }

  /** `undefined`: there was none before, or there is none now. */
  replace(before: StoredObject | undefined, now: StoredObject | undefined): void {
    if (before !== undefined) for (const value of this.#valuesOf(before.object)) this.#remove(value, before);
    if (now !== undefined) for (const value of this.#valuesOf(now.object)) this.#add(value, now);
  }

  with(value: string): readonly StoredObject[] {
    return [...(this.#entries.get(value) ?? [])];
  }

  #add(value: string, entry: StoredObject): void {
    const entries = this.#entries.get(value);
    if (entries === undefined) this.#entries.set(value, new Set([entry]));
    else entries.add(entry);
  }

  #remove(value: string, entry: StoredObject): void {
    const entries = this.#entries.get(value);
    entries?.delete(entry);
    if (entries?.size === 0) this.#entries.delete(value);
  }
}
