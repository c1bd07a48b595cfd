import type { Json, JsonObject } from '../json/json.ts';
import { comparePathElements } from './compare-path-elements.ts';
import type { Path, PathElement } from './path-element.ts';
import type { KubeError } from '../kube-error.ts';
import { FieldsV1Reader } from './fields-v1-reader.ts';
import { EMPTY_NODE, type NodeEntry, type SharedNode, shareNode } from './share-node.ts';
import { difference, equals, intersection, leaves, recursiveDifference, union } from './set-algebra.ts';

const NO_MEMBERS: ReadonlySet<PathElement> = new Set();
const NO_CHILDREN: ReadonlyMap<PathElement, FieldSet> = new Map();

/**
 * A set of field paths, as in `metadata.managedFields[].fieldsV1`. Immutable; operations share unchanged parts.
 *
 * Invariants: no child is empty; the root is never a member. `members` are the paths of one element, `children`
 * those below an element; an element may be in both (`{"f:a": {".": {}, "f:b": {}}}`): then both paths are in the set.
 *
 * Source: structured-merge-diff's `fieldpath.Set`.
 */
export class FieldSet {
  static readonly EMPTY: FieldSet = new FieldSet(NO_MEMBERS, NO_CHILDREN);
  static readonly #reader = new FieldsV1Reader<FieldSet>((members, children) =>
    FieldSet.EMPTY.with(members, children),
  );

  readonly members: ReadonlySet<PathElement>;
  readonly children: ReadonlyMap<PathElement, FieldSet>;
  #size: number | undefined;
  #node: SharedNode | undefined;
  #ownNode: SharedNode | undefined;

  /** Takes both as they are: they must not change afterwards, and no child may be empty. */
  constructor(members: ReadonlySet<PathElement>, children: ReadonlyMap<PathElement, FieldSet>) {
    this.members = members.size === 0 ? NO_MEMBERS : members;
    this.children = children.size === 0 ? NO_CHILDREN : children;
  }

  /** Reads parsed fieldsV1. Throws `InvalidFieldsV1` where the server rejects the whole entry. */
  static parse(json: Json): FieldSet {
    const { set, error } = FieldSet.#reader.read(json);
    if (error !== undefined) throw error;
    return set;
  }

  /** Reads fieldsV1 as text, where a key may occur twice. Keeps what was read before the first error. */
  static read(text: string): { readonly set: FieldSet; readonly error?: KubeError } {
    return FieldSet.#reader.readText(text);
  }

  static of(...paths: readonly Path[]): FieldSet {
    return paths.reduce((set, path) => set.union(FieldSet.#single(path)), FieldSet.EMPTY);
  }

  static #single(path: Path): FieldSet {
    const last = path.at(-1);
    return last === undefined
      ? FieldSet.EMPTY
      : new FieldSet(new Set([last]), NO_CHILDREN).prefixed(path.slice(0, -1));
  }

  /** A set of other content; empty content is {@link FieldSet.EMPTY}. Both must not change afterwards. */
  with(members: ReadonlySet<PathElement>, children: ReadonlyMap<PathElement, FieldSet>): FieldSet {
    return members.size === 0 && children.size === 0 ? FieldSet.EMPTY : new FieldSet(members, children);
  }

  get isEmpty(): boolean {
    return this.members.size === 0 && this.children.size === 0;
  }

  /** The number of paths. */
  get size(): number {
    if (this.#size === undefined) {
      let size = this.members.size;
      for (const child of this.children.values()) size += child.size;
      this.#size = size;
    }
    return this.#size;
  }

  /** Whether this path is in the set; a path above or below it does not count. */
  has(path: Path): boolean {
    const last = path.at(-1);
    return last !== undefined && this.at(path.slice(0, -1)).members.has(last);
  }

  /** The paths below one element. */
  child(element: PathElement): FieldSet {
    return this.children.get(element) ?? FieldSet.EMPTY;
  }

  /** The paths below a path. */
  at(path: Path): FieldSet {
    return path.reduce((set: FieldSet, element) => set.child(element), this);
  }

  /** This set, moved below a path. */
  prefixed(path: Path): FieldSet {
    if (this.isEmpty) return this;
    return path.reduceRight((set: FieldSet, el) => new FieldSet(NO_MEMBERS, new Map([[el, set]])), this);
  }

  union(other: FieldSet): FieldSet {
    return union(this, other);
  }

  intersection(other: FieldSet): FieldSet {
    return intersection(this, other);
  }

  /** The paths that the other set does not hold. Paths below one of its members stay. */
  difference(other: FieldSet): FieldSet {
    return difference(this, other);
  }

  /** The paths that are neither members of the other set nor below one. */
  recursiveDifference(other: FieldSet): FieldSet {
    return recursiveDifference(this, other);
  }

  /** The paths without longer ones below them. */
  leaves(): FieldSet {
    return leaves<FieldSet>(this);
  }

  equals(other: FieldSet): boolean {
    return equals<FieldSet>(this, other);
  }

  /** Every path, parents before children, in the server's order. */
  *paths(prefix: Path = []): Iterable<Path> {
    for (const element of this.elements()) {
      const path = [...prefix, element];
      if (this.members.has(element)) yield path;
      const child = this.children.get(element);
      if (child !== undefined) yield* child.paths(path);
    }
  }

  /** The path elements at the root of this set, in the server's order. */
  elements(): PathElement[] {
    const elements = [...this.members];
    for (const element of this.children.keys()) if (!this.members.has(element)) elements.push(element);
    return elements.length < 2 ? elements : elements.sort(comparePathElements);
  }

  /** fieldsV1, in the server's order: frozen, and shared with equal sets. */
  toJson(): JsonObject {
    return this.#fieldsV1().json;
  }

  #fieldsV1(): SharedNode {
    this.#node ??= shareNode(this.#entries());
    return this.#node;
  }

  /** The same, with `.`: the path to this set is a member too. */
  #ownFieldsV1(): SharedNode {
    this.#ownNode ??= shareNode([['.', EMPTY_NODE], ...this.#entries()]);
    return this.#ownNode;
  }

  #entries(): NodeEntry[] {
    return this.elements().map((element) => {
      const child = this.children.get(element);
      if (child === undefined) return [element, EMPTY_NODE];
      return [element, this.members.has(element) ? child.#ownFieldsV1() : child.#fieldsV1()];
    });
  }
}
