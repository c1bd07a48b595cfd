import { jsonEqual } from '../json/json-equal.ts';
import {
  getOwn,
  isJsonArray,
  isJsonObject,
  type Json,
  type JsonArray,
  type JsonObject,
} from '../json/json.ts';

/** One operation of a JSON patch (RFC 6902), of the three that a difference needs. */
export type JsonPatchOperation =
  | { readonly op: 'add' | 'replace'; readonly path: string; readonly value: Json }
  | { readonly op: 'remove'; readonly path: string };

/** The JSON patch that makes `after` of `before`: empty where they are equal. Neither is changed. */
export function createJsonPatch(before: Json, after: Json): readonly JsonPatchOperation[] {
  const operations: JsonPatchOperation[] = [];
  difference('', before, after, operations);
  return operations;
}

function difference(path: string, before: Json, after: Json, into: JsonPatchOperation[]): void {
  if (isJsonObject(before) && isJsonObject(after)) objectDifference(path, before, after, into);
  else if (isJsonArray(before) && isJsonArray(after)) arrayDifference(path, before, after, into);
  else if (!jsonEqual(before, after)) into.push({ op: 'replace', path, value: after });
}

function objectDifference(
  path: string,
  before: JsonObject,
  after: JsonObject,
  into: JsonPatchOperation[],
): void {
  for (const key of Object.keys(before)) {
    if (!Object.hasOwn(after, key)) into.push({ op: 'remove', path: `${path}/${escapeStep(key)}` });
  }
  for (const [key, value] of Object.entries(after)) {
    const at = `${path}/${escapeStep(key)}`;
    const old = getOwn(before, key);
    if (old === undefined) into.push({ op: 'add', path: at, value });
    else difference(at, old, value, into);
  }
}

/** What begins and ends alike is left alone, so that one item more or less is one operation. */
function arrayDifference(
  path: string,
  before: JsonArray,
  after: JsonArray,
  into: JsonPatchOperation[],
): void {
  const begin = alike(before, after);
  const end = alike(before.slice(begin).reverse(), after.slice(begin).reverse());
  const old = before.slice(begin, before.length - end);
  const wanted = after.slice(begin, after.length - end);
  const common = Math.min(old.length, wanted.length);
  const at = (index: number): string => `${path}/${begin + index}`;
  for (let i = 0; i < common; i++) difference(at(i), old[i] ?? null, wanted[i] ?? null, into);
  for (let i = old.length - 1; i >= common; i--) into.push({ op: 'remove', path: at(i) });
  for (let i = common; i < wanted.length; i++)
    into.push({ op: 'add', path: at(i), value: wanted[i] ?? null });
}

/** How many items two lists begin with alike. */
function alike(a: JsonArray, b: JsonArray): number {
  const shorter = Math.min(a.length, b.length);
  for (let i = 0; i < shorter; i++) if (!jsonEqual(a[i], b[i])) return i;
  return shorter;
}

function escapeStep(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}
