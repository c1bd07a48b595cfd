import { isJsonArray, isJsonObject, type Json, type JsonObject } from '@kubewright/kube';

/** What their authors write into these is data: nothing of it names a class. */
const DATA: ReadonlySet<string> = new Set(['ConfigMap', 'Secret']);

/**
 * The object with other StorageClasses: claims, templates of claims, and whatever else of whatever kind calls its field
 * `storageClassName`.
 */
export function reclassed(object: JsonObject, classes: ReadonlyMap<string, string>): JsonObject {
  const { kind, spec } = object;
  if (!isJsonObject(spec) || (typeof kind === 'string' && DATA.has(kind))) return object;
  return { ...object, spec: renamed(spec, classes) };
}

function renamed(value: Json, classes: ReadonlyMap<string, string>): Json {
  if (isJsonArray(value)) return value.map((each) => renamed(each, classes));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, field]) => {
      const isClass = key === 'storageClassName' && typeof field === 'string';
      return [key, isClass ? (classes.get(field) ?? field) : renamed(field, classes)];
    }),
  );
}
