import type { Json, JsonObject } from '@kubewright/kube';
import { isJsonArray, isJsonObject } from '@kubewright/kube';
import { objectsAt } from '../kinds/shared/read.ts';

/** True where a schema has `x-kubernetes-validations`, at whatever depth. */
export function hasRules(schema: JsonObject): boolean {
  const known = RULES.get(schema);
  if (known !== undefined) return known;
  const found =
    objectsAt(schema, 'x-kubernetes-validations').length > 0 || Object.values(schema).some(anyHasRules);
  RULES.set(schema, found);
  return found;
}

const RULES = new WeakMap<JsonObject, boolean>();

function anyHasRules(value: Json): boolean {
  if (isJsonArray(value)) return value.some(anyHasRules);
  return isJsonObject(value) && hasRules(value);
}
