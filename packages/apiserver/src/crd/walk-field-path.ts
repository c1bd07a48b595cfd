import { type JsonObject, getOwn } from '@kubewright/kube';
import { maybeObject, objectAt } from '../objects/read.ts';

/** Where a path of names leads to in a schema, or what is wrong with it. */
export type FieldPath =
  | { readonly names: readonly string[]; readonly schema: JsonObject }
  | { readonly problem: string };

const NO_FIELD: FieldPath = { problem: 'does not refer to a valid field' };

/** Follows `.spec.color` down a schema; array notation is not for selectors (`ValidFieldPath`). */
export function walkFieldPath(text: string, root: JsonObject): FieldPath {
  const tokens = text.match(/[.[\]]|[^.[\]]+/g) ?? [];
  const names: string[] = [];
  let schema = root;
  for (let at = 0; at < tokens.length; at += 2) {
    const [token, name] = [tokens[at], tokens[at + 1]];
    if (token === '[') return { problem: 'array notation is not allowed' };
    if (token !== '.') return { problem: `expected [ or . but got: ${token}` };
    if (name === undefined) return { problem: 'unexpected end of JSON path' };
    const next = step(schema, name);
    if (next === undefined) return NO_FIELD;
    names.push(name);
    schema = next;
  }
  return { names, schema };
}

function step(schema: JsonObject, name: string): JsonObject | undefined {
  if (maybeObject(schema, 'properties') === undefined) return maybeObject(schema, 'additionalProperties');
  const next = getOwn(objectAt(schema, 'properties'), name);
  return typeof next === 'object' && next !== null ? (next as JsonObject) : undefined;
}
