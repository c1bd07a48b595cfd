import { isJsonArray, isJsonObject, type Json, type JsonObject, setOwn } from '@kubewright/kube';
import type { PathStep } from './override-path.ts';

/**
 * `target` with `value` at a path; null takes the field or item out. Objects that are missing on the way are created,
 * lists are not. Undefined: the path does not fit, and nothing is assigned.
 */
export function assignAt(target: Json, path: readonly PathStep[], value: Json): Json | undefined {
  const [step, ...rest] = path;
  if (step === undefined) return value;
  if (step.type === 'field')
    return isJsonObject(target) ? assignField(target, step.name, rest, value) : undefined;
  if (!isJsonArray(target)) return undefined;
  if (step.type === 'index' && step.index >= target.length) return undefined;
  return target.flatMap((item, index) => {
    if (!isSelected(step, item, index)) return [item];
    if (rest.length > 0) return [assignAt(item, rest, value) ?? item];
    return value === null ? [] : [value];
  });
}

function isSelected(step: PathStep, item: Json, index: number): boolean {
  if (step.type === 'index') return step.index === index;
  if (step.type === 'match') return isJsonObject(item) && item[step.key] === step.value;
  return true;
}

function assignField(
  target: JsonObject,
  name: string,
  rest: readonly PathStep[],
  value: Json,
): Json | undefined {
  if (rest.length === 0) return withField(target, name, value ?? undefined);
  const child = Object.hasOwn(target, name) ? target[name] : undefined;
  // A field that is explicitly null stays; nothing is created only to take something out of it.
  if (child === null || (child === undefined && value === null)) return target;
  const assigned = assignAt(child ?? {}, rest, value);
  if (assigned === undefined) return undefined;
  return withField(target, name, isEmptied(assigned, child) ? undefined : assigned);
}

/** Only taking something out leaves an empty object where another was. */
function isEmptied(value: Json, before: Json | undefined): boolean {
  return isJsonObject(value) && value !== before && Object.keys(value).length === 0;
}

function withField(target: JsonObject, name: string, value: Json | undefined): JsonObject {
  const { [name]: _old, ...rest } = target;
  const made: Record<string, Json> = rest;
  if (value !== undefined) setOwn(made, name, value);
  else if (!Object.hasOwn(target, name)) return target;
  return made;
}
