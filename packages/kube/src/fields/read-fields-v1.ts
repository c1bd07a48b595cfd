import { isJsonObject, type Json, type JsonObject } from '../json/value.ts';
import { KubeError } from '../kube-error.ts';
import type { FieldSet } from './field-set.ts';
import { type FieldsV1Entries, type FieldsV1Node, readFieldsV1Nodes } from './read-fields-v1-nodes.ts';
import { canonicalElement, type PathElement } from './path-element.ts';

/** Makes a set; handed in because sets know how to read themselves. */
export type MakeFieldSet = (
  members: ReadonlySet<PathElement>,
  children: ReadonlyMap<PathElement, FieldSet>,
) => FieldSet;

/** What was read up to the first error, as the server's own reader leaves it. */
export type FieldsV1Result = { readonly set: FieldSet; readonly error?: KubeError };

/** Objects nest as deep as the schema of a kind; what is deeper is an attack. */
const MAX_DEPTH = 1000;

/** Reads parsed fieldsV1. Never throws. */
export function readFieldsV1(json: Json, make: MakeFieldSet): FieldsV1Result {
  return new Reading(make).readRoot(nodeOf(json));
}

/** Reads fieldsV1 as text, where a key may occur twice. Never throws. */
export function readFieldsV1Text(text: string, make: MakeFieldSet): FieldsV1Result {
  const { node, error } = readFieldsV1Nodes(text);
  const result = new Reading(make).readRoot(node);
  return result.error === undefined && error !== undefined ? { set: result.set, error } : result;
}

function nodeOf(json: Json): FieldsV1Node {
  if (json === null) return { entries: () => [] };
  if (!isJsonObject(json)) return 'invalid';
  const entries = (): FieldsV1Entries =>
    Object.keys(json).map((name) => [name, () => nodeOf(json[name] ?? null)]);
  return Object.isFrozen(json) ? { entries, frozen: json } : { entries };
}

type ReadNode = { readonly set: FieldSet; readonly isMember: boolean };

/** What frozen nodes say, for as long as they live: managedFields are read at every write, and share their nodes. */
const known = new WeakMap<JsonObject, ReadNode>();

/** One reading; stops at the first error and keeps what came before it. */
class Reading {
  readonly #make: MakeFieldSet;
  #error: KubeError | undefined;

  constructor(make: MakeFieldSet) {
    this.#make = make;
  }

  readRoot(node: FieldsV1Node): FieldsV1Result {
    const { set } = this.#readNode(node, 0);
    return this.#error === undefined ? { set } : { set, error: this.#error };
  }

  #readNode(node: FieldsV1Node, depth: number): ReadNode {
    const frozen = node === 'invalid' ? undefined : node.frozen;
    const before = frozen === undefined ? undefined : known.get(frozen);
    if (before !== undefined) return before;
    const read = this.#readEntries(this.#entries(node, depth), depth);
    if (frozen !== undefined && this.#error === undefined) known.set(frozen, read);
    return read;
  }

  /** A node is claimed itself where it holds `.`, or nothing that is known. */
  #readEntries(entries: FieldsV1Entries, depth: number): ReadNode {
    const members = new Set<PathElement>();
    const children = new Map<PathElement, FieldSet>();
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
