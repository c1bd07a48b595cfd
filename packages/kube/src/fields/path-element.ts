import type { Json } from '../json/value.ts';

/**
 * One step of a path in canonical fieldsV1 notation: `f:name`, `k:{"name":"c"}` (keys sorted, numbers canonical),
 * `v:"x"`, `i:0`. Two elements are the same step if and only if their strings are equal.
 */
export type PathElement = string;
/** Steps from the root of an object. */
export type Path = readonly PathElement[];
/** Keys of an item of an associative list. */
export type ListKeys = Readonly<Record<string, Json>>;
