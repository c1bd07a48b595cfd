import { compareText, isJsonArray, isJsonObject, type Json, type JsonObject } from '@kubewright/kube';

/** The same value with every object's keys in order, so that equal values print equal. */
export function sorted(value: Json): Json {
  if (isJsonArray(value)) return value.map(sorted);
  if (!isJsonObject(value)) return value;
  const names = Object.keys(value).toSorted();
  return Object.fromEntries(names.map((name) => [name, sorted(value[name] ?? null)]));
}

/** A `k:` or `v:` element with its JSON in canonical form. */
function canonicalElement(element: string): string {
  if (!/^[kv]:/.test(element)) return element;
  return element.slice(0, 2) + JSON.stringify(sorted(JSON.parse(element.slice(2)) as Json));
}

/** A field set independent of the order of its elements: `{".":{}}` is `{}`. */
function canonicalFields(fields: Json): Json {
  if (!isJsonObject(fields)) return fields;
  const names = Object.keys(fields);
  if (names.length === 1 && names[0] === '.') return {};
  const entries = names.map(
    (name) => [canonicalElement(name), canonicalFields(fields[name] ?? null)] as const,
  );
  return sorted(Object.fromEntries(entries));
}

/** `metadata.managedFields` independent of order and time. */
export function canonicalManagedFields(entries: Json | undefined): Json {
  if (!isJsonArray(entries)) return [];
  const canonical = entries.filter(isJsonObject).map((entry) => {
    const { time: _time, fieldsType: _type, fieldsV1, ...identity } = entry as Record<string, Json>;
    return sorted({ ...identity, fieldsV1: canonicalFields(fieldsV1 ?? {}) }) as JsonObject;
  });
  return canonical.toSorted((a, b) => compareText(JSON.stringify(a), JSON.stringify(b)));
}
