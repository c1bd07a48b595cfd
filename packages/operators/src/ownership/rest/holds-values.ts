import {
  canonicalJson,
  getOwn,
  isJsonArray,
  isJsonObject,
  type Json,
  type JsonObject,
  KubeError,
  type KubeObject,
} from '@kubewright/kube';
import { compareQuantity } from '@kubewright/kube/quantity';

/** Items of a list that are looked for one by one, where they are not at their place. */
const MAX_SEARCHED = 100;

/**
 * Whether an object has all values of its manifest. Where it has others after an apply, a webhook put them there, and may
 * change its mind. What servers write in another form (quantities) and leave out (empty values) is the same.
 */
export function holdsValues(manifest: KubeObject, live: KubeObject): boolean {
  const { metadata, ...rest } = manifest;
  const { labels = {}, annotations = {} } = metadata;
  return holds({ ...rest, metadata: { labels, annotations } }, live);
}

function holds(wanted: Json, live: Json | undefined): boolean {
  if (live === undefined || live === null) return isEmpty(wanted);
  if (isJsonObject(wanted)) return isJsonObject(live) && holdsFields(wanted, live);
  if (isJsonArray(wanted)) return isJsonArray(live) && holdsItems(wanted, live);
  return wanted === null || wanted === live || isSameQuantity(wanted, live);
}

function holdsFields(wanted: JsonObject, live: JsonObject): boolean {
  return Object.keys(wanted).every((name) => holds(wanted[name] ?? null, getOwn(live, name)));
}

/** Others may have added items, and the server may have put them into another order. */
function holdsItems(wanted: readonly Json[], live: readonly Json[]): boolean {
  if (wanted.every((item, index) => holds(item, live[index]))) return true;
  if (wanted.length > MAX_SEARCHED || live.length > MAX_SEARCHED) return false;
  return wanted.every((item) => live.some((one) => holds(item, one)));
}

/** What Go leaves out of JSON. */
function isEmpty(value: Json): boolean {
  if (isJsonArray(value)) return value.length === 0;
  return isJsonObject(value) ? Object.values(value).every(isEmpty) : !value;
}

function isSameQuantity(wanted: Json, live: Json): boolean {
  if (typeof live !== 'string') return false;
  try {
    return compareQuantity(typeof wanted === 'string' ? wanted : canonicalJson(wanted), live) === 0;
  } catch (error) {
    if (error instanceof KubeError) return false;
    throw error;
  }
}
