import { isJsonObject, type Json } from '../json/value.ts';
import { KubeError } from '../kube-error.ts';
import type { FieldSet } from './field-set.ts';
import { type FieldsV1Node, readFieldsV1Nodes } from './read-fields-v1-nodes.ts';
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
  if (json === null) return [];
  return isJsonObject(json)
    ? Object.keys(json).map((name) => [name, () => nodeOf(json[name] ?? null)])
    : 'invalid';
}

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

  /** A node is claimed itself where it holds `.`, or nothing that is known. */
  #readNode(node: FieldsV1Node, depth: number): { set: FieldSet; isMember: boolean } {
    const members = new Set<PathElement>();
    const children = new Map<PathElement, FieldSet>();
    let isMember = false;
    let isLeaf = true;
    for (const [name, below] of this.#entries(node, depth)) {
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

  #entries(node: FieldsV1Node, depth: number): Exclude<FieldsV1Node, 'invalid'> {
    if (node !== 'invalid' && depth <= MAX_DEPTH) return node;
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
