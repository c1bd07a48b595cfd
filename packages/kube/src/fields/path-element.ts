import { isJsonObject, type Json, type JsonObject } from '../json/json.ts';
import { parseJson } from '../json/parse-json.ts';
import { canonicalJson } from '../json/stringify-json.ts';
import { KubeError } from '../kube-error.ts';

/**
 * One step of a path in canonical fieldsV1 notation: `f:name`, `k:{"name":"c"}` (keys sorted, numbers canonical),
 * `v:"x"`, `i:0`. Two elements are the same step if and only if their strings are equal.
 */
export type PathElement = string;
/** Steps from the root of an object. */
export type Path = readonly PathElement[];
/** Keys of an item of an associative list. */
export type ListKeys = Readonly<Record<string, Json>>;

/** A parsed path element. */
export type ParsedPathElement =
  | { readonly type: 'field'; readonly name: string }
  | { readonly type: 'key'; readonly keys: JsonObject }
  | { readonly type: 'value'; readonly value: Json }
  | { readonly type: 'index'; readonly index: number };

/** The field `name` of an object. */
export function field(name: string): PathElement {
  return `f:${name}`;
}

/** The item of an associative list with these keys. */
export function key(keys: ListKeys): PathElement {
  return `k:${canonicalJson(keys)}`;
}

/** The element of a set. */
export function value(json: Json): PathElement {
  return `v:${canonicalJson(json)}`;
}

/** The position in a list. The server records none: an atomic list is one leaf. */
export function index(position: number): PathElement {
  return `i:${position}`;
}

/** Elements repeat endlessly (container names, label keys); bounded, because their content comes from outside. */
const CACHE_LIMIT = 20_000;
const canonical = new Map<string, PathElement | undefined>();
const parsed = new Map<PathElement, ParsedPathElement>();

function remember<K, V>(cache: Map<K, V>, key: K, value: V): V {
  if (cache.size >= CACHE_LIMIT) cache.clear();
  cache.set(key, value);
  return value;
}

/**
 * A key of fieldsV1 in canonical form; undefined where its prefix is of no known kind (the server skips those).
 * Throws `InvalidFieldsV1` where it is malformed.
 */
export function canonicalElement(raw: string): PathElement | undefined {
  if (raw.startsWith('f:')) return raw;
  return canonical.has(raw) ? canonical.get(raw) : remember(canonical, raw, readElement(raw));
}

function readElement(raw: string): PathElement | undefined {
  if (raw.length < 2 || raw[1] !== ':') {
    throw new KubeError('InvalidFieldsV1', `invalid path element ${JSON.stringify(raw)}: no known prefix`);
  }
  const content = raw.slice(2);
  switch (raw[0]) {
    case 'k':
      return key(readKeys(raw, content));
    case 'v':
      return value(readJson(raw, content));
    case 'i':
      return index(readIndex(raw, content));
    default:
      return undefined;
  }
}

function readJson(raw: string, content: string): Json {
  try {
    return parseJson(content);
  } catch (cause) {
    throw new KubeError('InvalidFieldsV1', `invalid path element ${JSON.stringify(raw)}`, { cause });
  }
}

function readKeys(raw: string, content: string): JsonObject {
  const keys = readJson(raw, content);
  if (isJsonObject(keys)) return keys;
  throw new KubeError(
    'InvalidFieldsV1',
    `invalid path element ${JSON.stringify(raw)}: keys must be an object`,
  );
}

function readIndex(raw: string, content: string): number {
  if (/^-?\d+$/.test(content)) return Number(content);
  throw new KubeError('InvalidFieldsV1', `invalid path element ${JSON.stringify(raw)}: no index`);
}

/** Takes a canonical element apart. */
export function parsePathElement(element: PathElement): ParsedPathElement {
  return parsed.get(element) ?? remember(parsed, element, takeApart(element));
}

function takeApart(element: PathElement): ParsedPathElement {
  const content = element.slice(2);
  switch (element.slice(0, 2)) {
    case 'f:':
      return { type: 'field', name: content };
    case 'k:':
      return { type: 'key', keys: readKeys(element, content) };
    case 'v:':
      return { type: 'value', value: readJson(element, content) };
    case 'i:':
      return { type: 'index', index: readIndex(element, content) };
    default:
      throw new KubeError('InvalidPath', `not a path element: ${JSON.stringify(element)}`);
  }
}
