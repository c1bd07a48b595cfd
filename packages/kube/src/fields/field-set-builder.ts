import type { FieldSet } from './field-set.ts';
import type { PathElement } from './path-element.ts';
import { sharedSet } from './shared-set.ts';

/**
 * Builds a {@link FieldSet} one path element at a time: a walk over an object allocates no lists of paths. What is built
 * is shared with whoever built the same before.
 */
export class FieldSetBuilder {
  readonly #members: PathElement[] = [];
  readonly #children: (readonly [PathElement, FieldSet])[] = [];

  /** Adds a path element as a member. */
  insert(element: PathElement): void {
    this.#members.push(element);
  }

  /** Adds a set below a path element. */
  graft(element: PathElement, set: FieldSet): void {
    if (!set.isEmpty) this.#children.push([element, set]);
  }

  /** What was gathered. The builder must not be used afterwards. */
  build(): FieldSet {
    return sharedSet(this.#members, this.#children);
  }
}
