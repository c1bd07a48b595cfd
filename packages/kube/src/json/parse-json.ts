import { KubeError } from '../kube-error.ts';
import { excessIn, MAX_BODY_VALUES } from './max-json-depth.ts';
import { needsExactReading } from './needs-exact-reading.ts';
import { type ReadResult, readJson } from './read-json.ts';
import { parsePieces } from './parse-pieces.ts';
import type { Json, JsonObject } from './json.ts';

/** `fatal: false` replaces invalid UTF-8 as Go does; a byte order mark is kept, and so rejected, as in Go. */
const decoder = new TextDecoder('utf-8', { fatal: false, ignoreBOM: true });

/** An escape of half a surrogate pair, or of a whole one. */
const SURROGATE = /\\u[dD][89a-fA-F]/;

/** Characters of a text whose error is worded as Go words it: that takes several times as long as to find out that it is wrong. */
const MOST_EXPLAINED = 1024 * 1024;

/**
 * Parses JSON without rounding an integer: those beyond ±(2^53-1) become `bigint` (beyond int64: a float64,
 * as in an API server). Throws {@link KubeError} `InvalidJson`, worded as Go words it.
 */
export function parseJson(text: string | Uint8Array): Json {
  return parse(asString(text), Number.POSITIVE_INFINITY);
}

/** As {@link parseJson}, for what anybody may send: it has at most `maxValues` values. */
export function parseBoundedJson(text: string | Uint8Array, maxValues: number = MAX_BODY_VALUES): Json {
  return parse(asString(text), maxValues);
}

/**
 * As {@link parseBoundedJson}, in steps that take V8 some milliseconds each, however large the text is: between two of them
 * others may have their turn.
 */
export function* parseInSteps(text: string | Uint8Array): Generator<void, Json> {
  const string = asString(text);
  checkBounds(string, MAX_BODY_VALUES);
  yield;
  try {
    return yield* parsePieces(string, parsePiece);
  } catch {
    return explain(string);
  }
}

function parse(text: string, maxValues: number): Json {
  checkBounds(text, maxValues);
  if (needsExactReading(text)) return wellFormed(text, readJson(text).value);
  try {
    return wellFormed(text, JSON.parse(text) as Json);
  } catch {
    return explain(text);
  }
}

function checkBounds(text: string, maxValues: number): void {
  const excess = excessIn(text, maxValues);
  if (excess !== undefined) throw new KubeError('InvalidJson', excess);
}

function parsePiece(text: string): Json {
  return wellFormed(text, needsExactReading(text) ? readJson(text).value : (JSON.parse(text) as Json));
}

/** Parses again only for the error message of Go's decoder. */
function explain(text: string): Json {
  if (text.length > MOST_EXPLAINED) throw new KubeError('InvalidJson', 'invalid JSON');
  return readJson(text).value;
}

/**
 * As {@link parseBoundedJson}, and names the fields that occur twice in one object (`metadata.labels.a`,
 * `spec.containers[0].image`); the last occurrence wins. At most 100 are named, each once.
 */
export function parseJsonStrict(text: string | Uint8Array, maxValues: number = MAX_BODY_VALUES): ReadResult {
  const string = asString(text);
  const value = parse(string, maxValues);
  if (keysIn(value) === keysWritten(string)) return { value, duplicates: [] };
  const read = readJson(string);
  return { ...read, value: wellFormed(string, read.value) };
}

const LONE_SURROGATE = /\p{Surrogate}/gu;

/** Half a surrogate pair becomes U+FFFD, as in Go: no text of UTF-8 has one, and whoever reads the object could not write it. */
function wellFormed(text: string, value: Json): Json {
  return SURROGATE.test(text) ? withoutLoneSurrogates(value) : value;
}

function withoutLoneSurrogates(value: Json): Json {
  if (typeof value === 'string') return value.replaceAll(LONE_SURROGATE, '\uFFFD');
  if (Array.isArray(value)) return value.map(withoutLoneSurrogates);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value as JsonObject);
  return Object.fromEntries(
    members.map(([key, member]) => [
      key.replaceAll(LONE_SURROGATE, '\uFFFD'),
      withoutLoneSurrogates(member ?? null),
    ]),
  );
}

const QUOTE = 0x22;
const SPACE = 0x20;

function keysIn(value: Json): number {
  if (typeof value !== 'object' || value === null) return 0;
  const members: readonly Json[] = Array.isArray(value) ? value : Object.values(value);
  let keys = Array.isArray(value) ? 0 : members.length;
  for (const member of members) keys += keysIn(member);
  return keys;
}

/** An upper bound of the number of keys: strings may contain what looks like one. */
function keysWritten(text: string): number {
  let keys = 0;
  for (let at = text.indexOf(':'); at !== -1; at = text.indexOf(':', at + 1)) {
    let before = at - 1;
    while (text.charCodeAt(before) <= SPACE) before--;
    if (text.charCodeAt(before) === QUOTE) keys++;
  }
  return keys;
}

function asString(text: string | Uint8Array): string {
  return typeof text === 'string' ? text : decoder.decode(text);
}
