import { canonicalJson } from '../../../json/stringify-json.ts';
import { jsonEqual } from '../../../json/json-equal.ts';
import { type Json, type JsonObject, getOwn, isJsonArray, isJsonObject } from '../../../json/json.ts';
import type { OpenApiSchema } from '../../schema-node.ts';

/**
 * A value and the one it replaces. Where both are there and equal, errors are not reported: they are as old as the
 * object (validation ratcheting, KEP-4008).
 */
export type Correlation = { readonly value: Json; readonly old: Json; readonly schema: OpenApiSchema };

/** The same field of both. Undefined where a field is new, or the schema does not name it. */
export function correlateField(correlation: Correlation | undefined, key: string): Correlation | undefined {
  if (correlation === undefined) return undefined;
  const value = isJsonObject(correlation.value) ? getOwn(correlation.value, key) : undefined;
  const old = isJsonObject(correlation.old) ? getOwn(correlation.old, key) : undefined;
  const schema = propertySchema(correlation.schema, key);
  if (value === undefined || old === undefined || schema === undefined) return undefined;
  return { value, old, schema };
}

function propertySchema(schema: OpenApiSchema, key: string): OpenApiSchema | undefined {
  const properties = getOwn(schema, 'properties');
  const property = isJsonObject(properties) ? getOwn(properties, key) : undefined;
  if (isJsonObject(property)) return property;
  const values = getOwn(schema, 'additionalProperties');
  return isJsonObject(values) ? values : undefined;
}

/** The items of both with the same keys. Items of other than map lists have no counterpart. */
export function correlateItem(correlation: Correlation | undefined, index: number): Correlation | undefined {
  if (correlation === undefined) return undefined;
  const { value: list, old: oldList, schema } = correlation;
  const items = getOwn(schema, 'items');
  const value = isJsonArray(list) ? list[index] : undefined;
  if (value === undefined || !isJsonArray(oldList) || !isJsonObject(items)) return undefined;
  if (getOwn(schema, 'x-kubernetes-list-type') !== 'map') return undefined;
  const keys = mapKeysOf(schema);
  const wanted = keyOf(keys, value);
  const old = oldList.find((item) => keyOf(keys, item) === wanted);
  return old === undefined || old === null ? undefined : { value, old, schema: items };
}

function mapKeysOf(schema: OpenApiSchema): readonly string[] {
  const keys = getOwn(schema, 'x-kubernetes-list-map-keys');
  return isJsonArray(keys) ? keys.filter((key) => typeof key === 'string') : [];
}

function keyOf(keys: readonly string[], item: Json): string {
  if (!isJsonObject(item)) return canonicalJson(item);
  return keys.map((key) => canonicalJson(getOwn(item, key) ?? null)).join();
}

/** True if nothing changed. Items of a map list may have moved. */
export function isUnchanged(correlation: Correlation): boolean {
  const { value, old } = correlation;
  if (isJsonArray(value) && isJsonArray(old)) {
    if (value.length !== old.length) return false;
    if (getOwn(correlation.schema, 'x-kubernetes-list-type') !== 'map') return jsonEqual(value, old);
    return value.every((_, index) => unchanged(correlateItem(correlation, index)));
  }
  if (isJsonObject(value) && isJsonObject(old)) return sameFields(correlation, value, old);
  return jsonEqual(value, old);
}

function sameFields(correlation: Correlation, value: JsonObject, old: JsonObject): boolean {
  const keys = Object.keys(value);
  return (
    keys.length === Object.keys(old).length &&
    keys.every((key) => unchanged(correlateField(correlation, key)))
  );
}

function unchanged(correlation: Correlation | undefined): boolean {
  return correlation !== undefined && isUnchanged(correlation);
}
