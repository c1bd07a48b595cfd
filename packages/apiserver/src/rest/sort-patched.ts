import type { Json, JsonObject } from '@kubewright/kube';
import { compareCodePoints, getOwn, isJsonArray, isJsonObject, setOwn } from '@kubewright/kube';

/**
 * A JSON-patched value with the order of fields that Go's patch leaves: objects on the way to what was touched are
 * sorted, all else is as it was sent. Errors are reported in that order.
 */
export function sortPatched(value: Json, operations: Json): Json {
  const pointers = isJsonArray(operations) ? operations.flatMap(pointersOf) : [];
  return pointers.reduce(sortAlong, sortKeys(value));
}

function pointersOf(operation: Json): readonly (readonly string[])[] {
  if (!isJsonObject(operation)) return [];
  const pointers = [getOwn(operation, 'path'), getOwn(operation, 'from')];
  return pointers.filter((pointer) => typeof pointer === 'string').map(segments);
}

/** The steps to what holds the place that a pointer names. */
function segments(pointer: string): readonly string[] {
  const steps = pointer.split('/').slice(1, -1);
  return steps.map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
}

function sortAlong(value: Json, [step, ...rest]: readonly string[]): Json {
  if (step === undefined) return value;
  if (isJsonArray(value)) {
    return value.map((item, index) => (String(index) === step ? sortAlong(sortKeys(item), rest) : item));
  }
  const child = isJsonObject(value) ? getOwn(value, step) : undefined;
  return child === undefined ? value : { ...(value as JsonObject), [step]: sortAlong(sortKeys(child), rest) };
}

function sortKeys(value: Json): Json {
  if (!isJsonObject(value)) return value;
  const sorted: Record<string, Json> = {};
  for (const name of Object.keys(value).toSorted(compareCodePoints))
    setOwn(sorted, name, value[name] ?? null);
  return sorted;
}
