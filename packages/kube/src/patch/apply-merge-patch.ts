import { KubeError } from '../kube-error.ts';
import { getOwn, isJsonArray, isJsonObject, type Json, type JsonObject, setOwn } from '../json/json.ts';

/**
 * Applies a JSON merge patch (RFC 7386) as kube-apiserver does: `null` removes a field, objects merge, anything else
 * replaces. A patch that is a list becomes the result; a scalar is rejected ({@link KubeError} `MalformedPatch`).
 * The document is not changed; what the patch does not touch is shared with the result.
 */
export function applyMergePatch(document: Json, patch: Json): Json {
  if (isJsonArray(patch)) return withoutNulls(patch);
  if (!isJsonObject(patch)) throw new KubeError('MalformedPatch', 'Invalid JSON Patch');
  return isJsonObject(document) ? mergeObjects(document, patch) : withoutNulls(patch);
}

function mergeObjects(document: JsonObject, patch: JsonObject): JsonObject {
  const result: Record<string, Json> = { ...document };
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key];
    else setOwn(result, key, mergeValue(getOwn(document, key), value));
  }
  return result;
}

/** A list that replaces an object keeps the nulls inside it; one that is new or replaces anything else does not. */
function mergeValue(current: Json | undefined, patch: Json): Json {
  if (!isJsonObject(current)) return withoutNulls(patch);
  return isJsonObject(patch) ? mergeObjects(current, patch) : patch;
}

/** Drops fields that are null, at any depth. Nulls that are items of a list stay. */
function withoutNulls(value: Json): Json {
  if (isJsonArray(value)) return value.map(withoutNulls);
  if (!isJsonObject(value)) return value;
  const result: Record<string, Json> = {};
  for (const [key, member] of Object.entries(value)) {
    if (member !== null) setOwn(result, key, withoutNulls(member));
  }
  return result;
}
