import { compareText } from '../json/compare-text.ts';
import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../json/json.ts';
import { type ParsedPathElement, type PathElement, parsePathElement } from './path-element.ts';

/** The order in which a server writes elements: fields, keys, values, indexes; each kind by its content. */
export function comparePathElements(a: PathElement, b: PathElement): number {
  if (a === b) return 0;
  if (a.startsWith('f:') && b.startsWith('f:')) return compareText(a, b);
  return compareParsed(parsePathElement(a), parsePathElement(b));
}

const KIND_ORDER = { field: 0, key: 1, value: 2, index: 3 } as const;

function compareParsed(a: ParsedPathElement, b: ParsedPathElement): number {
  if (a.type === 'key' && b.type === 'key') return compareObjects(a.keys, b.keys);
  if (a.type === 'value' && b.type === 'value') return compareValues(a.value, b.value);
  if (a.type === 'index' && b.type === 'index') return a.index - b.index;
  return KIND_ORDER[a.type] - KIND_ORDER[b.type];
}

/** Numbers before strings, booleans, lists, objects and null, as structured-merge-diff orders values. */
function rank(value: Json): number {
  if (value === null) return 5;
  if (isJsonObject(value)) return 4;
  if (isJsonArray(value)) return 3;
  if (typeof value === 'boolean') return 2;
  return typeof value === 'string' ? 1 : 0;
}

function compareValues(a: Json, b: Json): number {
  const byKind = rank(a) - rank(b);
  if (byKind !== 0) return byKind;
  if (isJsonObject(a) && isJsonObject(b)) return compareObjects(a, b);
  if (isJsonArray(a) && isJsonArray(b)) return compareLists(a, b);
  return compareScalars(a, b);
}

/** Both are numbers, strings, booleans or null alike; `bigint` and `number` compare by value. */
function compareScalars(a: Json, b: Json): number {
  if (a === null || b === null || a === b) return 0;
  return a < b ? -1 : 1;
}

function compareLists(a: readonly Json[], b: readonly Json[]): number {
  const common = Math.min(a.length, b.length);
  for (let i = 0; i < common; i++) {
    const order = compareValues(a[i] ?? null, b[i] ?? null);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

function compareObjects(a: JsonObject, b: JsonObject): number {
  const left = Object.keys(a).sort();
  const right = Object.keys(b).sort();
  const common = Math.min(left.length, right.length);
  for (let i = 0; i < common; i++) {
    const order = compareMembers(a, left[i] ?? '', b, right[i] ?? '');
    if (order !== 0) return order;
  }
  return left.length - right.length;
}

function compareMembers(a: JsonObject, left: string, b: JsonObject, right: string): number {
  if (left !== right) return compareText(left, right);
  return compareValues(a[left] ?? null, b[right] ?? null);
}
