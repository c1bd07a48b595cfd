import { KubeError } from '../kube-error.ts';
import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../json/json.ts';
import { formatGoValue } from '../object/format-go-value.ts';

/** The texts here are those of `k8s.io/apimachinery/pkg/util/mergepatch` and `strategicpatch`. */
export function malformedDirective(
  directive: 'primitive list' | 'retainKeys' | 'setElementOrder list',
): KubeError {
  return new KubeError('MalformedPatch', `invalid patch format of ${directive}`);
}

export function unmergeable(message: string): KubeError {
  return new KubeError('UnmergeablePatch', message);
}

export function noMergeKey(item: JsonObject, mergeKey: string): KubeError {
  return unmergeable(`map: ${formatGoValue(item)} does not contain declared merge key: ${mergeKey}`);
}

export function unknownPatchType(directive: Json, item: JsonObject): KubeError {
  const text = typeof directive === 'string' ? directive : formatGoValue(directive);
  return unmergeable(`unknown patch type: ${text} in map: ${formatGoValue(item)}`);
}

export function expectedType(
  expected: '[]interface {}' | 'map[string]interface {}',
  actual: Json,
): KubeError {
  return unmergeable(`expected a ${expected}, but received a ${goType(actual)}`);
}

export function listsOfLists(): KubeError {
  return new KubeError('InvalidPatch', 'lists of lists are not supported');
}

/** How Go's reflection names the type of a decoded value. */
export function goType(value: Json): string {
  if (isJsonArray(value)) return '[]interface {}';
  if (isJsonObject(value)) return 'map[string]interface {}';
  if (value === null) return '%!s(<nil>)';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'string') return 'string';
  return typeof value === 'bigint' || Number.isInteger(value) ? 'int64' : 'float64';
}
