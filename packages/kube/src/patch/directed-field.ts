import { getOwn, isJsonArray, isJsonObject, type Json, type JsonObject, setOwn } from '../json/json.ts';
import { malformedDirective, unknownPatchType } from './malformed-directive.ts';

export const PATCH = '$patch';
export const RETAIN_KEYS = '$retainKeys';
export const DELETE_FROM_PRIMITIVE_LIST = '$deleteFromPrimitiveList';
export const SET_ELEMENT_ORDER = '$setElementOrder';

/** The field that a directive such as `$setElementOrder/containers` is about. */
export function directedField(key: string, directive: string): string {
  const slash = key.indexOf('/');
  if (slash === directive.length) return key.slice(slash + 1);
  throw malformedDirective(directive === SET_ELEMENT_ORDER ? 'setElementOrder list' : 'primitive list');
}

/** The result for a map whose patch has `$patch`: the rest of the patch, or an empty map. */
export function applyMapDirective(patch: JsonObject): JsonObject {
  const { [PATCH]: directive = null, ...rest } = patch;
  if (directive === 'replace') return rest;
  if (directive === 'delete') return {};
  throw unknownPatchType(directive, patch);
}

/** The original without the fields that `$retainKeys` does not list. Every field of the patch must be listed. */
export function applyRetainKeys(original: JsonObject, patch: JsonObject): JsonObject {
  if (!Object.hasOwn(patch, RETAIN_KEYS)) return original;
  const list = getOwn(patch, RETAIN_KEYS) ?? null;
  if (!isJsonArray(list)) throw malformedDirective('retainKeys');
  const retained = new Set(list);
  const strays = Object.entries(patch).some(
    ([key, value]) => value !== null && !isDirective(key) && !retained.has(key),
  );
  if (strays) throw malformedDirective('retainKeys');
  const result: Record<string, Json> = {};
  for (const [key, value] of Object.entries(original)) if (retained.has(key)) setOwn(result, key, value);
  return result;
}

/** A new value as it is stored: without nulls and without directives. Undefined: nothing is stored. */
export function storedValue(value: Json): Json | undefined {
  if (isJsonArray(value)) return value.map(storedValue).filter((item) => item !== undefined);
  if (!isJsonObject(value)) return value;
  if (Object.hasOwn(value, PATCH)) return undefined;
  const result: Record<string, Json> = {};
  for (const [key, member] of Object.entries(value)) {
    const stored = member === null ? undefined : storedValue(member);
    if (stored !== undefined) setOwn(result, key, stored);
  }
  return result;
}

function isDirective(key: string): boolean {
  return (
    key === RETAIN_KEYS || key.startsWith(DELETE_FROM_PRIMITIVE_LIST) || key.startsWith(SET_ELEMENT_ORDER)
  );
}
