import { type Json, type JsonObject, type KubeObject, isJsonArray, isJsonObject } from '@kubewright/kube';
import { formatGoValue } from '@kubewright/kube/validation';
import { type Errors, invalid, invalidFor, NONE } from '../validation/errors.ts';
import { stringAt } from '../objects/read.ts';
import { pathOf, valueAtPath } from './scale-mapping.ts';

/** `spec.replicas`, wherever the definition's scale subresource keeps it. */
export function validateScaleSpec(scale: JsonObject | undefined, object: KubeObject): Errors {
  return scale === undefined ? NONE : validateReplicas(stringAt(scale, 'specReplicasPath'), object);
}

export function validateScaleStatus(scale: JsonObject | undefined, object: KubeObject): Errors {
  if (scale === undefined) return NONE;
  const selector = stringAt(scale, 'labelSelectorPath');
  return [
    ...validateReplicas(stringAt(scale, 'statusReplicasPath'), object),
    ...(selector === '' ? NONE : validateSelector(selector, object)),
  ];
}

const MAX_INT32 = 2_147_483_647;

function validateReplicas(text: string, object: KubeObject): Errors {
  const { value, problem } = read(text, object, 'int64');
  if (problem !== undefined) return invalidFor(text, 0, [problem]);
  if (value === undefined) return NONE;
  const count = Number(value);
  if (count < 0) return invalidFor(text, value, ['should be a non-negative integer']);
  return invalid(count > MAX_INT32, text, value, `should be less than or equal to ${MAX_INT32}`);
}

function validateSelector(text: string, object: KubeObject): Errors {
  const { problem } = read(text, object, 'string');
  return problem === undefined ? NONE : invalidFor(text, '', [problem]);
}

/** The value at a path, or why it cannot be read as `expected`; absent is fine. */
function read(
  text: string,
  object: KubeObject,
  expected: 'int64' | 'string',
): { value?: Json; problem?: string } {
  const path = pathOf(text);
  for (let depth = 1; depth < path.length; depth += 1) {
    const parent = valueAtPath(object, path.slice(0, depth));
    if (parent === undefined || parent === null) return {};
    if (!isJsonObject(parent)) {
      const next = path.slice(0, depth + 1);
      return { problem: mismatch(next, parent, 'map[string]interface{}') };
    }
  }
  const value = valueAtPath(object, path);
  if (value === undefined) return {};
  return goType(value) === expected ? { value } : { problem: mismatch(path, value, expected) };
}

function mismatch(path: readonly string[], value: Json, expected: string): string {
  return `.${path.join('.')} accessor error: ${formatGoValue(value)} is of the type ${goType(value)}, expected ${expected}`;
}

function goType(value: Json): string {
  if (value === null) return '<nil>';
  if (isJsonArray(value)) return '[]interface {}';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64';
  if (typeof value === 'bigint') return 'int64';
  if (typeof value === 'boolean') return 'bool';
  return typeof value === 'string' ? 'string' : 'map[string]interface {}';
}
