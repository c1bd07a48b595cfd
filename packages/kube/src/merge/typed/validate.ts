import { isJsonArray, isJsonObject, type Json } from '../../json/value.ts';
import { stringifyJson } from '../../json/stringify-json.ts';
import { KubeError } from '../../kube-error.ts';
import { formatGoValue } from '../../object/format-go-value.ts';
import { quoteGo } from '../../object/quote-go.ts';
import { formatPathElement } from '../../fields/format-path.ts';
import type { PathElement } from '../../fields/path-element.ts';
import type { ListNode, ScalarKind, ScalarNode, SchemaNode } from '../../schema/schema-node.ts';
import { itemElement } from './item-element.ts';
import { fieldNode } from './shape.ts';

/** A value that is not of its type, and where: `.spec.replicas`. */
export type TypedError = { readonly path: string; readonly message: string };

/**
 * Whether a value can be merged by its schema. Duplicate keys are refused in a configuration, and suffered in a live
 * object. Source: structured-merge-diff's `TypedValue.Validate`.
 */
export function validateTyped(
  node: SchemaNode,
  value: Json,
  options: { readonly allowDuplicates?: boolean } = {},
): TypedError[] {
  const errors: TypedError[] = [];
  visit({ errors, allowDuplicates: options.allowDuplicates === true }, '', node, value);
  return errors;
}

type Visit = { readonly errors: TypedError[]; readonly allowDuplicates: boolean };

function visit(at: Visit, path: string, node: SchemaNode, value: Json): void {
  if (value === null || node.kind === 'any') return;
  if (node.kind === 'scalar') visitScalar(at, path, node, value);
  else if (node.kind === 'list') visitList(at, path, node, value);
  else visitObject(at, path, node, value);
}

function visitScalar(at: Visit, path: string, node: ScalarNode, value: Json): void {
  const expected = expectedType(node, value);
  if (expected === undefined) return;
  const got = (SHOW[expected] ?? show)(value);
  at.errors.push({ path, message: `expected ${expected}, got ${got}` });
}

/** What scalars read as where a value is of another type; the other kinds take any scalar. */
const EXPECTED: Partial<Record<ScalarKind, readonly [what: string, ...types: string[]]>> = {
  integer: ['numeric (int or float)', 'number', 'bigint'],
  number: ['numeric (int or float)', 'number', 'bigint'],
  boolean: ['boolean', 'boolean'],
  string: ['string', 'string'],
  bytes: ['string', 'string'],
};

function expectedType(node: ScalarNode, value: Json): string | undefined {
  const [what, ...types] = EXPECTED[node.scalar] ?? ['any scalar', 'number', 'bigint', 'boolean', 'string'];
  return types.includes(typeof value) ? undefined : what;
}

function visitList(at: Visit, path: string, list: ListNode, value: Json): void {
  if (!isJsonArray(value)) {
    at.errors.push({ path, message: `expected list, got ${show(value)}` });
    return;
  }
  const seen = new Set<PathElement>();
  for (const [index, item] of value.entries()) {
    const element = list.listType === 'atomic' ? `i:${index}` : tryElement(at, path, list, index, item);
    if (element === undefined) return;
    if (seen.has(element) && !at.allowDuplicates) {
      at.errors.push({ path, message: `duplicate entries for key ${formatPathElement(element)}` });
    }
    seen.add(element);
    visit(at, path + formatPathElement(element), list.items, item);
  }
}

function tryElement(
  at: Visit,
  path: string,
  list: ListNode,
  index: number,
  item: Json,
): PathElement | undefined {
  try {
    return itemElement(list, item);
  } catch (error) {
    if (!(error instanceof KubeError)) throw error;
    at.errors.push({ path, message: `element ${index}: ${error.message}` });
    return undefined;
  }
}

function visitObject(at: Visit, path: string, node: SchemaNode, value: Json): void {
  if (!isJsonObject(value)) {
    at.errors.push({ path, message: `expected map, got ${show(value)}` });
    return;
  }
  for (const name of Object.keys(value)) {
    const field = fieldNode(node, name);
    if (field === undefined) {
      at.errors.push({ path: `${path}.${name}`, message: 'field not declared in schema' });
      return;
    }
    visit(at, `${path}.${name}`, field.node, value[name] ?? null);
  }
}

/** As `&value.valueUnstructured{Value: …}` would read is of no use to anyone: the JSON of the value is shown. */
/** As Go's `%v` shows structured-merge-diff's wrapper of a value. */
function show(value: Json): string {
  return `&{${formatGoValue(value)}}`;
}

/** As Go's `%#v` does, which is how a string is missed. */
function showSyntax(value: Json): string {
  return `&value.valueUnstructured{Value:${goSyntax(value)}}`;
}

/** Numbers are missed by their Go type. */
function showType(value: Json): string {
  if (isJsonArray(value)) return '[]interface {}';
  if (isJsonObject(value)) return 'map[string]interface {}';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}

const SHOW: Readonly<Record<string, (value: Json) => string>> = {
  string: showSyntax,
  'numeric (int or float)': showType,
};

function goSyntax(value: Json): string {
  if (value === null) return 'interface {}(nil)';
  if (typeof value === 'string') return quoteGo(value);
  if (isJsonArray(value)) return `[]interface {}{${value.map(goSyntax).join(', ')}}`;
  if (!isJsonObject(value)) return stringifyJson(value);
  const entries = Object.keys(value)
    .sort()
    .map((key) => `${quoteGo(key)}:${goSyntax(value[key] ?? null)}`);
  return `map[string]interface {}{${entries.join(', ')}}`;
}

/** One line for one error, a list for several. */
export function formatTypedErrors(errors: readonly TypedError[]): string {
  const lines = errors.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`));
  return lines.length === 1 ? (lines[0] ?? '') : ['errors:', ...lines.map((line) => `  ${line}`)].join('\n');
}
