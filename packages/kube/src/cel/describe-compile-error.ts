import { errorText } from '../error-text.ts';
import { anchorOf, type Located } from './anchor-of.ts';
import { NAMESPACE } from './library/register-namespace.ts';
import type { Found, TypedNode } from './typed-node.ts';
import { REPLACED_FUNCTIONS } from './library/register-strings.ts';

/** The CEL library's error for an expression that does not compile; see its `errors.js`. */
type LibraryError = {
  readonly code: string;
  readonly summary: string;
  readonly range?: { readonly start: number };
  readonly node?: Located;
};

/** Whether a function of this name exists, with any arguments. */
export type KnowsFunction = (name: string) => boolean;

/**
 * The message that cel-go would give for a compile error of the library: position, text and an excerpt. Exact for types,
 * fields, variables and functions; errors of syntax keep the library's text.
 */
export function describeCompileError(error: unknown, source: string, knows: KnowsFunction): string {
  if (!isLibraryError(error)) return errorText(error);
  const { message, position } = report(error, source, knows);
  return describeAt(message, position, source);
}

/** A message of cel-go about a place in the source, which it shows. */
export function describeAt(message: string, position: number, source: string): string {
  const before = source.slice(0, position).split('\n');
  const column = Array.from(before.at(-1) ?? '').length;
  const line = source.split('\n')[before.length - 1] ?? '';
  return `ERROR: <input>:${before.length}:${column + 1}: ${message}\n | ${line}\n | ${'.'.repeat(column)}^`;
}

type Wording = (summary: string, knows: KnowsFunction, node?: Located) => string;

const WORDINGS: Readonly<Record<string, Wording>> = {
  unknown_variable: (summary) => undeclared(summary.replace(/^Unknown variable: /, '')),
  no_such_key: (summary) => `undefined field '${summary.replace(/^No such key: /, '')}'`,
  cannot_index_type: (summary) =>
    `type '${describeType(summary.replace(/^Cannot index type '(.*)'$/, '$1'))}' does not support field selection`,
  reserved_identifier: (summary) => summary.replace(/^R/, 'r'),
  invalid_comprehension_range: (summary) => summary.replace(/^E/, 'e').replace(/\.$/, ''),
  no_such_overload: operatorMismatch,
  no_matching_overload: functionMismatch,
};

function report(error: LibraryError, source: string, knows: KnowsFunction): Found {
  return wholeOperation(error, source) ?? wordedFound(error, source, knows);
}

function wordedFound(
  { code, summary, node, range }: LibraryError,
  source: string,
  knows: KnowsFunction,
): Found {
  const position = node && 'args' in node ? anchorOf(node, source) : (range?.start ?? 0);
  const wording = Object.hasOwn(WORDINGS, code) ? WORDINGS[code] : undefined;
  return { message: wording?.(summary, knows, node) ?? `Syntax error: ${summary}`, position };
}

const undeclared = (name: string): string => `undeclared reference to '${name}' (in container '')`;

/** `no such overload: int + string`, or `-string` for an operator with one operand. */
function operatorMismatch(summary: string): string {
  const [, unary, operand, left, operator, right] =
    /^no such overload: (?:([!-])(\S.*)|(.+?) (==|!=|<=|>=|[-+*/%<>]|in) (.+))$/.exec(summary) ?? [];
  if (unary !== undefined) return mismatch(`${unary}_`, `(${describeType(operand)})`);
  const name = operator === 'in' ? '@in' : `_${operator}_`;
  return mismatch(name, `(${describeType(left)}, ${describeType(right)})`);
}

/** `found no matching overload for 'string.startsWith(int)'`. */
function functionMismatch(summary: string, knows: KnowsFunction, node?: Located): string {
  const [, receiver, called = '', types = ''] = /'(?:(.*)\.)?(\w+)\((.*)\)'$/.exec(summary) ?? [];
  const name = originalName(called);
  if (!knows(called)) return undeclared(name);
  const list = `(${typesIn(types).map(describeType).join(', ')})`;
  if (receiver === undefined) return mismatch(name, list);
  if (receiver.endsWith(NAMESPACE)) return mismatch(`${receiver.slice(0, -NAMESPACE.length)}.${name}`, list);
  return mismatch(name, `${describeType(typeOfCaller(node) ?? receiver)}.${list}`);
}

/** The library's text names a list or a map without its members. */
function typeOfCaller(node?: Located): string | undefined {
  const [, caller] = (node?.args ?? []) as [string, TypedNode?];
  return caller?.checkedType?.name;
}

/** `int, map<string, list<int>>`: commas within a type separate no types. */
function typesIn(list: string): string[] {
  const types = [''];
  let depth = 0;
  for (const character of list.replaceAll(', ', ',')) {
    if (character === '<') depth++;
    if (character === '>') depth--;
    if (character === ',' && depth === 0) types.push('');
    else types[types.length - 1] += character === ',' ? ', ' : character;
  }
  return types;
}

export function mismatch(name: string, types: string): string {
  return `found no matching overload for '${name}' applied to '${types}'`;
}

/** Errors about the operands of an operation as a whole. */
const OPERATIONS: ReadonlySet<string> = new Set([
  'cannot_index_type',
  'invalid_index_type',
  'incompatible_ternary_branches',
]);

const OPERATION_NAMES: Readonly<Record<string, string>> = { '[]': '_[_]', '[?]': '_[?_]', '?:': '_?_:_' };

function wholeOperation(error: LibraryError, source: string): Found | undefined {
  const { code, node } = error;
  if (code === 'invalid_logical_operand') return wrongOperand(error, source);
  if (!node || !OPERATIONS.has(code) || !Object.hasOwn(OPERATION_NAMES, node.op)) return undefined;
  return wrongOperation(node, source);
}

function wrongOperation(node: Located, source: string): Found | undefined {
  const operands = node.args as TypedNode[];
  const types = operands.map(({ checkedType }) => checkedType && describeType(checkedType.name));
  if (types.includes(undefined)) return undefined;
  const message = mismatch(OPERATION_NAMES[node.op] ?? node.op, `(${types.join(', ')})`);
  return { message, position: anchorOf(node, source) };
}

function wrongOperand({ node }: LibraryError, source: string): Found {
  const operands = (node?.args ?? []) as TypedNode[];
  const wrong = operands.find(
    ({ checkedType }) => checkedType?.name !== 'bool' && checkedType?.kind !== 'dyn',
  );
  const position = wrong ? anchorOf(wrong, source) : 0;
  return { message: `expected type 'bool' but found '${describeType(wrong?.checkedType?.name)}'`, position };
}

const TYPE_NAMES: Readonly<Record<string, string>> = {
  'google.protobuf.Timestamp': 'timestamp',
  'google.protobuf.Duration': 'duration',
};

/** A type of the library in the messages of cel-go: `list(int)`; what is an object is an `object`. */
export function describeType(type = ''): string {
  const [, container, inner = ''] = /^(list|map|optional)<(.*)>$/.exec(type) ?? [];
  if (container === 'optional') return `optional_type(${describeType(inner)})`;
  if (container !== undefined) return `${container}(${typesIn(inner).map(describeType).join(', ')})`;
  return TYPE_NAMES[type] ?? (type.startsWith('object_') ? 'object' : type);
}

function originalName(name: string): string {
  for (const [original, replacement] of REPLACED_FUNCTIONS) if (replacement === name) return original;
  return name;
}

function isLibraryError(error: unknown): error is LibraryError {
  return error instanceof Error && 'code' in error && 'summary' in error && typeof error.summary === 'string';
}
