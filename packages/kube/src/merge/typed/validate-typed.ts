import { isJsonArray, isJsonObject, type Json } from '../../json/json.ts';
import { KubeError } from '../../kube-error.ts';
import { formatGoSyntax, goTypeOf } from '../../object/format-go-syntax.ts';
import { formatGoValue } from '../../object/format-go-value.ts';
import { formatPathElement } from '../../fields/format-path.ts';
import type { PathElement } from '../../fields/path-element.ts';
import type { ListNode, ScalarKind, ScalarNode, SchemaNode } from '../../schema/schema-node.ts';
import { itemElement } from './item-element.ts';
import { fieldNode } from './shape.ts';

/** A value that is not of its type, and where: `.spec.replicas`. */
export type TypedError = { readonly path: string; readonly message: string };

/**
 * Whether a value can be merged by its schema. Duplicate keys are rejected in a configuration, and accepted in a live
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

/** A body has room for hundreds of thousands; nobody reads more than some. */
const MAX_ERRORS = 1000;

type Visit = { readonly errors: TypedError[]; readonly allowDuplicates: boolean };

function visit(at: Visit, path: string, node: SchemaNode, value: Json): void {
  if (value === null || node.kind === 'any') return;
  if (node.kind === 'scalar') visitScalar(at, path, node, value);
  else if (node.kind === 'list') visitList(at, path, node, value);
  else visitObject(at, path, node, value);
}

function visitScalar(at: Visit, path: string, node: ScalarNode, value: Json): void {
  const message = mismatch(node, value);
  if (message !== undefined) at.errors.push({ path, message });
}

/** What a scalar must be, for the kinds that do not take any scalar. */
const REQUIRED: Partial<Record<ScalarKind, 'numeric' | 'boolean' | 'string'>> = {
  integer: 'numeric',
  number: 'numeric',
  boolean: 'boolean',
  string: 'string',
  bytes: 'string',
};

/** The server's words, which show the value as Go prints it. */
function mismatch(node: ScalarNode, value: Json): string | undefined {
  const type = typeof value === 'number' || typeof value === 'bigint' ? 'numeric' : typeof value;
  const required = REQUIRED[node.scalar];
  if (type === required || (required === undefined && type !== 'object')) return undefined;
  switch (required) {
    case 'numeric':
      return `expected numeric (int or float), got ${goTypeOf(value)}`;
    case 'string':
      return `expected string, got &value.valueUnstructured{Value:${formatGoSyntax(value)}}`;
    default:
      return `expected ${required ?? 'any scalar'}, got ${show(value)}`;
  }
}

function visitList(at: Visit, path: string, list: ListNode, value: Json): void {
  if (!isJsonArray(value)) {
    at.errors.push({ path, message: `expected list, got ${show(value)}` });
    return;
  }
  if (list.listType === 'atomic') return visitAtomic(at, path, list, value);
  const seen = new Set<PathElement>();
  for (const [index, item] of value.entries()) {
    const element = tryElement(at, path, list, index, item);
    if (element === undefined) return;
    if (seen.has(element) && !at.allowDuplicates) {
      at.errors.push({ path, message: `duplicate entries for key ${formatPathElement(element)}` });
    }
    seen.add(element);
    visit(at, path + formatPathElement(element), list.items, item);
    if (at.errors.length > MAX_ERRORS) return;
  }
}

function visitAtomic(at: Visit, path: string, { items }: ListNode, value: readonly Json[]): void {
  for (const [index, item] of value.entries()) {
    // A list of thousands of scalars is common enough to spare their paths.
    if (items.kind !== 'scalar' || mismatch(items, item) !== undefined)
      visit(at, `${path}[${index}]`, items, item);
    if (at.errors.length > MAX_ERRORS) return;
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

/** As Go's `%v` prints a pointer to the struct that wraps the value. */
function show(value: Json): string {
  return `&{${formatGoValue(value)}}`;
}

/** One line for one error, a list for several. */
export function formatTypedErrors(errors: readonly TypedError[]): string {
  const lines = errors.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`));
  return lines.length === 1 ? (lines[0] ?? '') : ['errors:', ...lines.map((line) => `  ${line}`)].join('\n');
}
