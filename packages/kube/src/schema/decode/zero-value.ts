import { type Json, isJsonArray, isJsonObject, setOwn } from '../../json/json.ts';
import type { Field, SchemaNode, StructNode } from '../schema-node.ts';
import { zeroScalar } from './decode-scalar.ts';

/** What Go writes for the zero value of a type that is not a pointer. */
export function zeroValue(node: SchemaNode): Json {
  if (node.kind === 'scalar') return zeroScalar(node.scalar);
  if (node.kind !== 'struct') return null;
  const result: Record<string, Json> = {};
  addWritten(node, result);
  return result;
}

const writtenFields = new WeakMap<StructNode, readonly Field[]>();

/** Adds the fields that Go writes though they are zero and `result` lacks. */
export function addWritten(node: StructNode, result: Record<string, Json>): void {
  let written = writtenFields.get(node);
  if (written === undefined) {
    written = [...node.fields.values()].filter(({ zero }) => zero === 'written' || zero === 'null');
    writtenFields.set(node, written);
  }
  for (const field of written) {
    if (!Object.hasOwn(result, field.name)) setOwn(result, field.name, absent(field));
  }
}

function absent(field: Field): Json {
  // A nil slice of bytes is null; one inside a map comes back from storage as empty text.
  const isBytes = field.node.kind === 'scalar' && field.node.scalar === 'bytes';
  return field.zero === 'null' || isBytes ? null : zeroValue(field.node);
}

/** True for the zero value of a field with omitempty that is not a pointer (no built-in struct is dropped when zero). */
export function isDroppedZero(value: Json): boolean {
  if (value === null || value === '' || value === false || value === 0) return true;
  return isJsonArray(value) ? value.length === 0 : isJsonObject(value) && Object.keys(value).length === 0;
}
