import {
  type Alias,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  type Scalar,
  visit,
} from 'yaml';
import { type Json, setOwn } from '../json/json.ts';
import { MAX_JSON_DEPTH } from '../json/max-json-depth.ts';
import { KubeError } from '../kube-error.ts';
import { MERGE_TAG, type Resolved, resolvePlain, resolveTagged } from './resolve-plain.ts';
import { lineAt, yamlError } from './yaml-error.ts';
import { quoteKey, toJson, toKey, unsupportedIn } from './to-json.ts';

export type YamlReading = {
  readonly value: Json;
  /** What strict decoding has against the text, as the Go library words it. */
  readonly strict: readonly string[];
};

/** Go stops collecting strict errors here. */
const MAX_STRICT_ERRORS = 100;

/** The value of a document. Throws `InvalidYaml`. */
export function documentToJson(text: string, document: Document.Parsed, isStrict: boolean): YamlReading {
  const converter = new Converter(text, document, isStrict);
  return { value: converter.wholeValue(), strict: converter.strict };
}

type Members = { readonly object: Record<string, Json>; readonly keys: Set<string> };

/** Resolves the nodes of one document: scalars, aliases and merge keys, in the order in which the Go library does. */
class Converter {
  readonly strict: string[] = [];
  readonly #text: string;
  readonly #document: Document.Parsed;
  readonly #isStrict: boolean;
  /** The last line has no end: the library adds one to a block, the Go library does not. */
  readonly #isCut: boolean;
  readonly #expanding = new Set<Alias>();
  #targets: ReadonlyMap<Alias, Node> | undefined;
  #unsupportedAt: Node | undefined;
  #depth = 0;
  #decoded = 0;
  #decodedOfAliases = 0;

  constructor(text: string, document: Document.Parsed, isStrict: boolean) {
    this.#text = text;
    this.#document = document;
    this.#isStrict = isStrict;
    this.#isCut = /\S *$/.test(text.slice(text.lastIndexOf('\n') + 1));
  }

  /** JSON has no NaN; one that a later key replaces does no harm. */
  wholeValue(): Json {
    const value = this.#valueOf(this.#document.contents);
    const unsupported = this.#unsupportedAt === undefined ? undefined : unsupportedIn(value);
    if (unsupported === undefined) return value;
    throw this.#error(this.#unsupportedAt ?? null, `json: unsupported value: ${unsupported}`);
  }

  #valueOf(node: Node | null): Json {
    this.#count(node);
    if (node === null) return null;
    if (isScalar(node)) return this.#scalarOf(node);
    if (isAlias(node)) return this.#throughAlias(node, (target) => this.#valueOf(target));
    return this.#deeper(node, () => this.#collection(node));
  }

  #scalarOf(node: Scalar): Json {
    const value = toJson(this.#resolve(node));
    if (typeof value === 'number' && !Number.isFinite(value)) this.#unsupportedAt ??= node;
    return value;
  }

  #collection(node: Node): Json {
    if (isSeq<Node>(node)) return node.items.map((item) => this.#valueOf(item));
    const members: Members = { object: {}, keys: new Set() };
    this.#addMembers(node, members);
    return members.object;
  }

  #addMembers(node: Node, members: Members): void {
    if (!isMap<Node, Node | null>(node)) return;
    for (const pair of node.items) {
      if (isMergeKey(pair.key)) this.#merge(pair.value, members);
      else this.#addMember(pair, members, node.flow === true);
    }
  }

  #addMember({ key, value }: Pair<Node, Node | null>, { object, keys }: Members, isFlow: boolean): void {
    const resolved = this.#keyOf(key);
    const name = typeof resolved === 'string' ? resolved : this.#at(key, () => toKey(resolved));
    const converted = this.#valueOf(value);
    if (this.#isStrict) this.#noteDuplicate(keys, resolved, this.#startOf(key, value, isFlow));
    setOwn(object, name, converted);
  }

  /** A scalar that is quoted or in a block is a text, unless it has a tag. */
  #resolve(scalar: Scalar): Resolved {
    const isBlock = scalar.type === 'BLOCK_LITERAL' || scalar.type === 'BLOCK_FOLDED';
    const isCut = isBlock && this.#isCut && scalar.range?.[1] === this.#text.length;
    const text = String(scalar.value);
    if (scalar.tag !== undefined) return this.#at(scalar, () => resolveTagged(scalar.tag ?? '', text));
    if (isBlock) return isCut ? text.replace(/\n$/, '') : text;
    return scalar.type === 'PLAIN' ? resolvePlain(text) : text;
  }

  #keyOf(node: Node): Resolved {
    this.#count(node);
    if (isScalar(node)) return this.#resolve(node);
    if (isAlias(node)) return this.#throughAlias(node, (target) => this.#keyOf(target));
    throw this.#error(node, 'invalid map key');
  }

  /** Members of other mappings are added where the merge key stands: they replace those before, and those after replace them. */
  #merge(node: Node | null, members: Members): void {
    const wanted = 'map merge requires map or sequence of maps as the value';
    const sources = isSeq<Node>(node) ? node.items.toReversed() : [node];
    for (const source of sources) {
      const target = source !== null && isAlias(source) ? this.#targetOf(source) : source;
      if (!isMap(target)) throw this.#error(source, wanted);
      this.#count(source);
      if (source !== null && isAlias(source))
        this.#throughAlias(source, () => this.#mergeMap(target, members));
      else this.#deeper(target, () => this.#addMembers(target, members));
    }
  }

  #mergeMap(target: Node, members: Members): void {
    this.#count(target);
    this.#deeper(target, () => this.#addMembers(target, members));
  }

  #noteDuplicate(keys: Set<string>, key: Resolved, offset: number): void {
    const identity = `${typeof key === 'object' && key !== null ? key.kind : typeof key} ${quoteKey(key)}`;
    if (!keys.has(identity)) keys.add(identity);
    else if (this.strict.length < MAX_STRICT_ERRORS)
      this.strict.push(`line ${lineAt(this.#text, offset)}: key ${quoteKey(key)} already set in map`);
  }

  /** A value begins with its anchor or its tag; none, in brackets, where the next token does. */
  #startOf(key: Node, value: Node | null, isFlow: boolean): number {
    if (isFlow && (value === null || isEmpty(value))) return this.#nextToken(value ?? key);
    return value === null ? offsetOf(key) : this.#propertiesOf(value, key.range?.[1] ?? 0);
  }

  #propertiesOf(value: Node, end: number): number {
    const start = offsetOf(value);
    if (isAlias(value) || (value.anchor === undefined && value.tag === undefined)) return start;
    const before = this.#text.slice(end, start).search(/[&!]/);
    return before === -1 ? start : end + before;
  }

  #nextToken({ range }: Node): number {
    NOTHING.lastIndex = range?.[1] ?? 0;
    NOTHING.test(this.#text);
    return NOTHING.lastIndex;
  }

  #throughAlias<T>(alias: Alias, read: (target: Node) => T): T {
    if (this.#expanding.has(alias))
      throw this.#error(alias, `anchor '${alias.source}' value contains itself`);
    this.#expanding.add(alias);
    const value = read(this.#targetOf(alias));
    this.#expanding.delete(alias);
    return value;
  }

  /** The node that an alias stands for: the last before it that has the anchor. */
  #targetOf(alias: Alias): Node {
    this.#targets ??= this.#bindAliases();
    const target = this.#targets.get(alias);
    if (target === undefined) throw this.#error(alias, `unknown anchor '${alias.source}' referenced`);
    return target;
  }

  #bindAliases(): ReadonlyMap<Alias, Node> {
    const anchors = new Map<string, Node>();
    const targets = new Map<Alias, Node>();
    visit(this.#document, {
      Node: (_key, node) => {
        if ('anchor' in node && typeof node.anchor === 'string') anchors.set(node.anchor, node);
      },
      Alias: (_key, alias) => {
        const target = anchors.get(alias.source);
        if (target !== undefined) targets.set(alias, target);
      },
    });
    return targets;
  }

  /** The Go library's guard: most of a document may be made by aliases while it is small, and little of a large one. */
  #count(node: Node | null): void {
    this.#decoded++;
    if (this.#expanding.size === 0) return;
    this.#decodedOfAliases++;
    const isEnough = this.#decodedOfAliases > 100 && this.#decoded > 1000;
    if (isEnough && this.#decodedOfAliases / this.#decoded > allowedRatio(this.#decoded))
      throw this.#error(node, 'document contains excessive aliasing');
  }

  #deeper<T>(node: Node, read: () => T): T {
    if (++this.#depth > MAX_JSON_DEPTH) throw this.#error(node, 'exceeded max depth');
    const value = read();
    this.#depth--;
    return value;
  }

  /** Adds the place to an error of a scalar. */
  #at<T>(node: Node, read: () => T): T {
    try {
      return read();
    } catch (error) {
      throw error instanceof KubeError ? this.#error(node, error.message) : error;
    }
  }

  #error(node: Node | null, what: string): KubeError {
    return yamlError(this.#text, node === null ? 0 : offsetOf(node), what);
  }
}

const NOTHING = /(?:\s|:|#[^\n]*)*/y;

function isEmpty(node: Node): boolean {
  return isScalar(node) && node.value === '' && node.type === 'PLAIN';
}

function offsetOf({ range }: Node): number {
  return range?.[0] ?? 0;
}

function isMergeKey(key: Node): boolean {
  if (!isScalar(key) || key.value !== '<<') return false;
  return key.tag === undefined ? key.type === 'PLAIN' : key.tag === '!' || key.tag === MERGE_TAG;
}

const SMALL = 400_000;
const LARGE = 4_000_000;

function allowedRatio(decoded: number): number {
  if (decoded <= SMALL) return 0.99;
  return decoded >= LARGE ? 0.1 : 0.99 - 0.89 * ((decoded - SMALL) / (LARGE - SMALL));
}
