import { type ObjectReference, referenceKey } from './object-reference.ts';

const REMEMBERED = 500;

/** Objects that the server said do not exist. A uid is never given twice, so that stays true. */
export class AbsentOwners {
  readonly #keys = new Set<string>();

  add(reference: ObjectReference): void {
    const key = referenceKey(reference);
    this.#keys.delete(key);
    this.#keys.add(key);
    const [oldest] = this.#keys.size > REMEMBERED ? this.#keys : [];
    if (oldest !== undefined) this.#keys.delete(oldest);
  }

  has(reference: ObjectReference): boolean {
    return this.#keys.has(referenceKey(reference));
  }
}
