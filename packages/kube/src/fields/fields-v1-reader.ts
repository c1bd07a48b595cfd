import { isJsonObject, type Json, type JsonObject } from '../json/json.ts';
import { KubeError } from '../kube-error.ts';
import { type FieldsV1Entries, type FieldsV1Node, readFieldsV1Nodes } from './read-fields-v1-nodes.ts';
import { canonicalElement, type PathElement } from './path-element.ts';

/** What was read up to the first error, as in the server's reader. */
type FieldsV1Result<S> = { readonly set: S; readonly error?: KubeError };

/** What a set is made of; both must not change afterwards. */
type MakeSet<S> = (members: ReadonlySet<PathElement>, children: ReadonlyMap<PathElement, S>) => S;

/** What the reader needs of a set; `FieldSet` is the one. */
type ReadableSet<S> = { readonly isEmpty: boolean; union(other: S): S };

/** Objects nest as deep as the schema of a kind; what is deeper is an attack. */
const MAX_DEPTH = 1000;

/** Reads fieldsV1 into sets that `make` makes. Never throws. */
export class FieldsV1Reader<S extends ReadableSet<S>> {
  readonly #make: MakeSet<S>;
  /** What frozen nodes hold, for as long as they live: managedFields are read at every write, and share their nodes. */
  readonly #known = new WeakMap<JsonObject, ReadNode<S>>();

  constructor(make: MakeSet<S>) {
    this.#make = make;
  }

  /** Reads parsed fieldsV1. */
  read(json: Json): FieldsV1Result<S> {
    return new Reading(this.#make, this.#known).readRoot(nodeOf(json));
  }

  /** Reads fieldsV1 as text, where a key may occur twice. */
  readText(text: string): FieldsV1Result<S> {
    const { node, error } = readFieldsV1Nodes(text);
    const result = new Reading(this.#make, this.#known).readRoot(node);
    return result.error === undefined && error !== undefined ? { set: result.set, error } : result;
  }
}

function nodeOf(json: Json): FieldsV1Node {
  if (json === null) return { entries: () => [] };
  if (!isJsonObject(json)) return 'invalid';
  const entries = (): FieldsV1Entries =>
    Object.keys(json).map((name) => [name, () => nodeOf(json[name] ?? null)]);
  return Object.isFrozen(json) ? { entries, frozen: json } : { entries };
}

type ReadNode<S> = { readonly set: S; readonly isMember: boolean };

/** One reading; stops at the first error and keeps what came before it. */
class Reading<S extends ReadableSet<S>> {
  readonly #make: MakeSet<S>;
  readonly #known: WeakMap<JsonObject, ReadNode<S>>;
  #error: KubeError | undefined;

  constructor(make: MakeSet<S>, known: WeakMap<JsonObject, ReadNode<S>>) {
    this.#make = make;
    this.#known = known;
  }

  readRoot(node: FieldsV1Node): FieldsV1Result<S> {
    const { set } = this.#readNode(node, 0);
    return this.#error === undefined ? { set } : { set, error: this.#error };
  }

  #readNode(node: FieldsV1Node, depth: number): ReadNode<S> {
    const frozen = node === 'invalid' ? undefined : node.frozen;
    const before = frozen === undefined ? undefined : this.#known.get(frozen);
    if (before !== undefined) return before;
    const read = this.#readEntries(this.#entries(node, depth), depth);
    if (frozen !== undefined && this.#error === undefined) this.#known.set(frozen, read);
    return read;
  }

  /** A node is a member itself where it has `.`, or no valid key. */
  #readEntries(entries: FieldsV1Entries, depth: number): ReadNode<S> {
    const members = new Set<PathElement>();
    const children = new Map<PathElement, S>();
    let isMember = false;
    let isLeaf = true;
    for (const [name, below] of entries) {
      if (this.#error !== undefined) break;
      isMember ||= name === '.';
      const element = this.#element(name);
      if (element === undefined) continue;
      isLeaf = false;
      const child = this.#readNode(below(), depth + 1);
      if (child.isMember) members.add(element);
      if (!child.set.isEmpty) children.set(element, children.get(element)?.union(child.set) ?? child.set);
    }
    return { set: this.#make(members, children), isMember: isMember || isLeaf };
  }

  #entries(node: FieldsV1Node, depth: number): FieldsV1Entries {
    if (node !== 'invalid' && depth <= MAX_DEPTH) return node.entries();
    const what = node === 'invalid' ? 'a node must be an object' : 'it is nested too deeply';
    this.#fail(new KubeError('InvalidFieldsV1', `invalid fieldsV1: ${what}`));
    return [];
  }

  /** Undefined for `.`, and for what no version of the server writes. */
  #element(name: string): PathElement | undefined {
    if (name === '.') return undefined;
    try {
      return canonicalElement(name);
    } catch (error) {
      if (!(error instanceof KubeError)) throw error;
      this.#fail(error);
      return undefined;
    }
  }

  #fail(error: KubeError): void {
    this.#error ??= error;
  }
}
