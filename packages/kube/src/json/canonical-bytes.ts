import { isJsonArray, type Json, type JsonObject } from './json.ts';
import { sortedKeys } from './sorted-keys.ts';
import { canonicalJson } from './stringify-json.ts';

const [QUOTE, BACKSLASH, COMMA, COLON] = [34, 92, 44, 58];
const [OPEN_LIST, CLOSE_LIST, OPEN_MAP, CLOSE_MAP] = [91, 93, 123, 125];
const [FIRST_PLAIN, LAST_PLAIN] = [32, 126];

/** Larger values are written into memory of their own, which is not kept. */
const KEPT_BYTES = 64 * 1024;

const encoder = new TextEncoder();
const kept = new Uint8Array(KEPT_BYTES);
/** Up to where it was written. */
let end = 0;

/**
 * The canonical form, in UTF-8, without a text of it: what is hashed is not read. Valid until the next call: the memory is used
 * again.
 */
export function canonicalBytes(value: Json): Uint8Array {
  end = 0;
  return write(value) ? kept.subarray(0, end) : encoder.encode(canonicalJson(value));
}

/** False: there is no more room. */
function write(value: Json): boolean {
  if (typeof value === 'string') return writeText(value);
  if (value === null || typeof value !== 'object') return writeRaw(canonicalJson(value));
  return isJsonArray(value) ? writeList(value) : writeMap(value);
}

function writeList(values: readonly Json[]): boolean {
  if (values.length === 0) return writeByte(OPEN_LIST) && writeByte(CLOSE_LIST);
  for (let at = 0; at < values.length; at++)
    if (!writeByte(at === 0 ? OPEN_LIST : COMMA) || !write(values[at] ?? null)) return false;
  return writeByte(CLOSE_LIST);
}

function writeMap(map: JsonObject): boolean {
  const keys = sortedKeys(map);
  if (keys.length === 0) return writeByte(OPEN_MAP) && writeByte(CLOSE_MAP);
  for (let at = 0; at < keys.length; at++) {
    const key = keys[at] ?? '';
    if (!writeByte(at === 0 ? OPEN_MAP : COMMA) || !writeMember(key, map[key] ?? null)) return false;
  }
  return writeByte(CLOSE_MAP);
}

const writeMember = (key: string, value: Json): boolean => writeText(key) && writeByte(COLON) && write(value);

function writeByte(byte: number): boolean {
  if (end >= KEPT_BYTES) return false;
  kept[end++] = byte;
  return true;
}

function writeText(text: string): boolean {
  const begin = end;
  if (end + text.length + 2 > KEPT_BYTES) return false;
  kept[end++] = QUOTE;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code < FIRST_PLAIN || code > LAST_PLAIN || code === QUOTE || code === BACKSLASH) {
      end = begin;
      return writeRaw(JSON.stringify(text));
    }
    kept[end++] = code;
  }
  kept[end++] = QUOTE;
  return true;
}

function writeRaw(text: string): boolean {
  const { read, written } = encoder.encodeInto(text, kept.subarray(end));
  end += written;
  return read === text.length;
}
