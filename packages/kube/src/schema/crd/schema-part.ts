import { type Json, getOwn, isJsonArray, isJsonObject } from '../../json/json.ts';
import type { FieldError } from '../field-error.ts';
import type { OpenApiSchema } from '../schema-node.ts';

/** Errors of one check, in an API server's order. */
export type Errors = readonly FieldError[];

/** A schema inside a schema, with its path: `spec.validation.openAPIV3Schema.properties[spec]`. */
export type SchemaPart = { readonly schema: OpenApiSchema; readonly path: string; readonly key: string };

/** The schema under `key`, if there is one. */
export function partAt(schema: OpenApiSchema, path: string, key: string): SchemaPart | undefined {
  const part = getOwn(schema, key);
  return isJsonObject(part) ? { schema: part, path: `${path}.${key}`, key } : undefined;
}

/** The schemas of the map under `key`: `properties`, `definitions`. */
export function mapParts(schema: OpenApiSchema, path: string, key: string): readonly SchemaPart[] {
  const parts = getOwn(schema, key);
  if (!isJsonObject(parts)) return [];
  return Object.entries(parts).flatMap(([name, part]) =>
    isJsonObject(part) ? [{ schema: part, path: `${path}.${key}[${name}]`, key: name }] : [],
  );
}

/** The schemas of the list under `key`: `allOf`, `anyOf`, `oneOf`. */
export function listParts(schema: OpenApiSchema, path: string, key: string): readonly SchemaPart[] {
  const parts = getOwn(schema, key);
  if (!isJsonArray(parts)) return [];
  return parts.flatMap((part, index) =>
    isJsonObject(part) ? [{ schema: part, path: `${path}.${key}[${index}]`, key: String(index) }] : [],
  );
}

/** A text of the schema; empty if there is none. */
export function textAt(schema: OpenApiSchema, key: string): string {
  const text = getOwn(schema, key);
  return typeof text === 'string' ? text : '';
}

export function isTrueAt(schema: OpenApiSchema, key: string): boolean {
  return getOwn(schema, key) === true;
}

export function textsAt(schema: OpenApiSchema, key: string): readonly string[] {
  const texts = getOwn(schema, key);
  return isJsonArray(texts) ? texts.filter((text) => typeof text === 'string') : [];
}

/** True for a field that Go would not leave out: set, and not zero. */
export function isSetAt(schema: OpenApiSchema, key: string): boolean {
  const value: Json | undefined = getOwn(schema, key);
  if (value === undefined || value === null || value === '' || value === false) return false;
  return !isJsonArray(value) || value.length > 0;
}

/** One error if `wrong`. */
export function errorIf(wrong: boolean, make: () => FieldError): Errors {
  return wrong ? [make()] : [];
}
