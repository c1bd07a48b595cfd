import {
  getOwn,
  isJsonArray,
  isJsonObject,
  type Json,
  type JsonObject,
  jsonEqual,
  KubeError,
  setOwn,
} from '@kubewright/kube';
import { getElement, parsePathElement, type Path } from '@kubewright/kube/fields';
import { canonicalQuantity } from '@kubewright/kube/quantity';

/**
 * The value that a manifest has at a path of managedFields; undefined where it has none. The server defaults one key of a
 * list item, the protocol of a port: a manifest may leave it out.
 */
export function manifestValue(manifest: Json | undefined, path: Path): Json | undefined {
  let current: Json | undefined = manifest;
  for (const element of path) current = getElement(current, element) ?? itemWithDefaults(current, element);
  return current;
}

function itemWithDefaults(list: Json | undefined, element: string): Json | undefined {
  const parsed = parsePathElement(element);
  if (parsed.type !== 'key' || !isJsonArray(list) || parsed.keys['protocol'] !== 'TCP') return undefined;
  const { protocol: _default, ...keys } = parsed.keys;
  return list.find(
    (item) =>
      isJsonObject(item) &&
      getOwn(item, 'protocol') === undefined &&
      Object.entries(keys).every(([name, value]) => jsonEqual(getOwn(item, name), value)),
  );
}

/** A manifest as the server stores it: `stringData` of a Secret is `data`. */
export function storedForm(manifest: JsonObject): JsonObject {
  const { stringData, ...rest } = manifest;
  if (manifest['kind'] !== 'Secret' || !isJsonObject(stringData)) return manifest;
  const data: Record<string, Json> = {};
  for (const [key, value] of Object.entries(isJsonObject(rest['data']) ? rest['data'] : {}))
    setOwn(data, key, value);
  for (const [key, value] of Object.entries(stringData))
    if (typeof value === 'string') setOwn(data, key, Buffer.from(value).toString('base64'));
  return { ...rest, data };
}

/** Whether a live value is what was applied, also where the server has added defaults or written a quantity in its way. */
export function isStillAs(applied: Json, live: Json): boolean {
  if (isJsonObject(applied))
    return (
      isJsonObject(live) &&
      Object.entries(applied).every(([key, value]) => {
        const stored = getOwn(live, key);
        return stored !== undefined && isStillAs(value, stored);
      })
    );
  if (isJsonArray(applied))
    return (
      isJsonArray(live) &&
      live.length === applied.length &&
      applied.every((value, index) => isStillAs(value, live[index] ?? null))
    );
  return jsonEqual(applied, live) || isSameQuantity(applied, live);
}

/** `cpu: 1000m` is stored as `1`. */
function isSameQuantity(applied: Json, live: Json): boolean {
  if (typeof live !== 'string' || (typeof applied !== 'string' && typeof applied !== 'number')) return false;
  try {
    return canonicalQuantity(String(applied)) === live;
  } catch (error) {
    if (error instanceof KubeError) return false;
    throw error;
  }
}
