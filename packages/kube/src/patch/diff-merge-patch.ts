import { jsonEqual } from '../json/json-equal.ts';
import { getOwn, isJsonObject, type Json, type JsonObject, setOwn } from '../json/json.ts';

/**
 * The JSON merge patch (RFC 7386) that makes `to` of `from`; `{}` when they are equal. Lists are replaced whole. Fields
 * of `to` that are null cannot be told from absent ones by such a patch, and become absent.
 */
export function diffMergePatch(from: JsonObject, to: JsonObject): JsonObject {
  const patch: Record<string, Json> = {};
  for (const key of Object.keys(from)) if (!Object.hasOwn(to, key)) setOwn(patch, key, null);
  for (const [key, wanted] of Object.entries(to)) {
    const current = getOwn(from, key);
    if (jsonEqual(current, wanted)) continue;
    const both = isJsonObject(current) && isJsonObject(wanted);
    setOwn(patch, key, both ? diffMergePatch(current, wanted) : wanted);
  }
  return patch;
}
