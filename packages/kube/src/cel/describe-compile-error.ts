import { errorText } from '../error-text.ts';
import { anchorOf, type Located } from './anchor-of.ts';
import { REPLACED_FUNCTIONS } from './library/register-strings.ts';

/** The CEL library's error for an expression that does not compile; see its `errors.js`. */
type LibraryError = {
  readonly code: string;
  readonly summary: string;
  readonly range?: { readonly start: number };
  readonly node?: Located;
};

type Report = { readonly message: string; readonly position: number };

/** Whether a function of this name exists, with any arguments. */
export type KnowsFunction = (name: string) => boolean;

/**
 * The message that cel-go would give for a compile error of the library: position, text and an excerpt. Exact for types,
 * fields, variables and functions; errors of syntax keep the library's text.
 */
export function describeCompileError(error: unknown, source: string, knows: KnowsFunction): string {
  if (!isLibraryError(error)) return errorText(error);
  const { message, position } = report(error, source, knows);
  const before = source.slice(0, position).split('\n');
  const column = before.at(-1)?.length ?? 0;
  const line = source.split('\n')[before.length - 1] ?? '';
  return `ERROR: <input>:${before.length}:${column + 1}: ${message}\n | ${line}\n | ${'.'.repeat(column)}^`;
}

type Wording = (summary: string, knows: KnowsFunction) => string;

const WORDINGS: Readonly<Record<string, Wording>> = {
  unknown_variable: (summary) => undeclared(summary.replace(/^Unknown variable: /, '')),
  no_such_key: (summary) => `undefined field '${summary.replace(/^No such key: /, '')}'`,
  cannot_index_type: (summary) =>
    `type '${typeName(summary.replace(/^Cannot index type '(.*)'$/, '$1'))}' does not support field selection`,
  no_such_overload: operatorMismatch,
  no_matching_overload: functionMismatch,
};

function report(error: LibraryError, source: string, knows: KnowsFunction): Report {
  const { code, summary, node } = error;
  if (code === 'invalid_logical_operand') return wrongOperand(error, source);
  const position = node && 'args' in node ? anchorOf(node, source) : (error.range?.start ?? 0);
  const wording = Object.hasOwn(WORDINGS, code) ? WORDINGS[code] : undefined;
  return { message: wording?.(summary, knows) ?? `Syntax error: ${summary}`, position };
}

const undeclared = (name: string): string => `undeclared reference to '${name}' (in container '')`;

/** `no such overload: int + string`, or `-string` for an operator with one operand. */
function operatorMismatch(summary: string): string {
  const [, unary, operand, left, operator, right] =
    /^no such overload: (?:([!-])(\S.*)|(.+?) (==|!=|<=|>=|[-+*/%<>]|in) (.+))$/.exec(summary) ?? [];
  if (unary !== undefined) return mismatch(`${unary}_`, `(${typeName(operand)})`);
  const name = operator === 'in' ? '@in' : `_${operator}_`;
  return mismatch(name, `(${typeName(left)}, ${typeName(right)})`);
}

/** `found no matching overload for 'string.startsWith(int)'`. */
function functionMismatch(summary: string, knows: KnowsFunction): string {
  const [, receiver, called = '', types = ''] = /'(?:(.*)\.)?(\w+)\((.*)\)'$/.exec(summary) ?? [];
  const name = originalName(called);
  if (!knows(called)) return undeclared(name);
  const list = `(${types.split(', ').map(typeName).join(', ')})`;
  return mismatch(name, receiver === undefined ? list : `${typeName(receiver)}.${list}`);
}

function mismatch(name: string, types: string): string {
  return `found no matching overload for '${name}' applied to '${types}'`;
}

function wrongOperand({ node, summary }: LibraryError, source: string): Report {
  const found = summary.replace(/^.*got '(.*)'$/, '$1');
  const operands = (node?.args ?? []) as (Located & { checkedType?: { name: string } })[];
  const wrong = operands.find(({ checkedType }) => checkedType?.name === found);
  const position = wrong ? anchorOf(wrong, source) : 0;
  return { message: `expected type 'bool' but found '${typeName(found)}'`, position };
}

const TYPE_NAMES: Readonly<Record<string, string>> = {
  'google.protobuf.Timestamp': 'timestamp',
  'google.protobuf.Duration': 'duration',
  Quantity: 'kubernetes.Quantity',
  URL: 'kubernetes.URL',
  Semver: 'kubernetes.Semver',
  Format: 'kubernetes.NamedFormat',
};

/** A type of the library as cel-go names it: `list(int)`; what is an object is an `object`. */
function typeName(type = ''): string {
  const [, container, inner = ''] = /^(list|map|optional)<(.*)>$/.exec(type) ?? [];
  if (container === 'optional') return `optional_type(${typeName(inner)})`;
  if (container === 'list') return `list(${typeName(inner)})`;
  if (container === 'map')
    return `map(${inner
      .split(/, (.*)/s)
      .slice(0, 2)
      .map(typeName)
      .join(', ')})`;
  return TYPE_NAMES[type] ?? (type.startsWith('object_') ? 'object' : type);
}

function originalName(name: string): string {
  for (const [original, replacement] of REPLACED_FUNCTIONS) if (replacement === name) return original;
  return name;
}

function isLibraryError(error: unknown): error is LibraryError {
  return error instanceof Error && 'code' in error && 'summary' in error && typeof error.summary === 'string';
}
