import type { Json, JsonObject, KubeObject } from '@kubewright/kube';
import { getOwn, isJsonArray, isJsonObject, setOwn } from '@kubewright/kube';
import { has, type KeyOf, objectAt } from './read.ts';

/** Copies of objects with fields changed. What does not change is shared, and often nothing does. */

export function withField(object: JsonObject, key: string, value: Json | undefined): JsonObject {
  if (getOwn(object, key) === value) return object;
  const copy: Record<string, Json> = {};
  for (const [name, old] of Object.entries(object)) {
    if (name !== key) setOwn(copy, name, old);
  }
  if (value !== undefined) setOwn(copy, key, value);
  return copy;
}

/** `object` with `value` under `key` where it has no value, `''` or `0`. */
export function orDefault(object: JsonObject, key: string, value: Json): JsonObject {
  const current = getOwn(object, key);
  return current === undefined || current === null || current === '' || current === 0
    ? withField(object, key, value)
    : object;
}

/** As {@link orDefault} for a Go pointer: `''` and `0` are values of their own. */
export function orDefaultPointer(object: JsonObject, key: string, value: Json): JsonObject {
  return has(object, key) ? object : withField(object, key, value);
}

export type Change = (object: JsonObject) => JsonObject;

/** Fills each of `values` where a Go pointer is nil. */
export function defaults<T>(values: Partial<T>): Change {
  return filling(values, (value) => value === undefined || value === null);
}

/** Fills each of `values` where Go has a zero value: `''` and `0` too. */
export function zeroDefaults<T>(values: Partial<T>): Change {
  return filling(values, (value) => value === undefined || value === null || value === '' || value === 0);
}

/** All that is missing comes in one copy, behind what is there. */
function filling<T>(values: Partial<T>, isUnset: (value: Json | undefined) => boolean): Change {
  const given = Object.entries(values) as readonly (readonly [string, Json])[];
  return (object) => {
    const missing = given.filter(([key]) => isUnset(getOwn(object, key)));
    if (missing.length === 0) return object;
    const copy: Record<string, Json> = {};
    for (const [name, old] of Object.entries(object))
      if (missing.every(([key]) => key !== name)) setOwn(copy, name, old);
    for (const [key, value] of missing) setOwn(copy, key, value);
    return copy;
  };
}

/** Applies `change` to the struct under `key`, which is empty where there is none. */
export function inStruct<T>(key: KeyOf<T>, change: Change): Change {
  return (object) => withField(object, key, change(objectAt(object, key)));
}

/** Applies `change` to the struct under `key`, if there is one. */
export function inField<T = JsonObject>(key: KeyOf<T>, change: Change): Change {
  return (object) => {
    const value = getOwn(object, key);
    return isJsonObject(value) ? withField(object, key, change(value)) : object;
  };
}

/** Applies `change` to each struct of the list under `key`. */
export function inItems<T = JsonObject>(key: KeyOf<T>, change: Change): Change {
  return (object) => {
    const value = getOwn(object, key);
    if (!isJsonArray(value)) return object;
    let changed = false;
    const items = value.map((item) => {
      const next = isJsonObject(item) ? change(item) : item;
      changed ||= next !== item;
      return next;
    });
    return changed ? withField(object, key, items) : object;
  };
}

export function inOrder(...changes: readonly Change[]): Change {
  return (object) => changes.reduce((current, change) => change(current), object);
}

export function when(test: (object: JsonObject) => boolean, change: Change): Change {
  return (object) => (test(object) ? change(object) : object);
}

/** Runs a change of the body on a whole object. */
export function changeObject(object: KubeObject, change: Change): KubeObject {
  return change(object) as KubeObject;
}
