import { FieldSet } from './field-set.ts';
import type { PathElement } from './path-element.ts';

/** Gathers claims into a {@link FieldSet}, one step at a time: a walk over an object makes no lists of paths. */
export class FieldSetBuilder {
  readonly #members = new Set<PathElement>();
  readonly #children = new Map<PathElement, FieldSet>();

  /** Claims one step. */
  insert(element: PathElement): void {
    this.#members.add(element);
  }

  /** Claims a whole set below a step. */
  graft(element: PathElement, set: FieldSet): void {
    if (set.isEmpty) return;
    this.#children.set(element, this.#children.get(element)?.union(set) ?? set);
  }

  /** What was gathered. The builder must not be used afterwards. */
  build(): FieldSet {
    return FieldSet.EMPTY.with(this.#members, this.#children);
  }
}
