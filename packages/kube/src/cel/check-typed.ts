import type { Environment } from '@marcbachmann/cel-js';
import { anchorOf } from './anchor-of.ts';
import { checkFormat } from './check-format.ts';
import { nodesOf } from './cel-node.ts';
import { describeAt, describeType, mismatch } from './describe-compile-error.ts';
import { describeError } from './describe-error.ts';
import { goRegExp } from './go-regexp.ts';
import { CONVERSIONS } from './library/register-conversions.ts';
import type { Found, TypedNode } from './typed-node.ts';

/**
 * The first thing in a checked tree that Kubernetes rejects when it compiles, and the library does not; undefined: none.
 * Kubernetes' validators of literals come before what cannot be computed in advance.
 */
export function checkTyped(root: unknown, environment: Environment, source: string): string | undefined {
  const nodes = nodesOf(root) as readonly TypedNode[];
  for (const check of [checkIndex, checkInteger, checkFormat, checkArgument]) {
    for (const node of nodes) {
      const found = check(node, source, environment);
      if (found) return `compilation failed: ${describeAt(found.message, found.position, source)}`;
    }
  }
  for (const node of nodes) {
    const failure = failureOfConversion(node, environment, source);
    if (failure !== undefined) return `program instantiation failed: ${failure}`;
  }
  return undefined;
}

/** A map is read by keys of its type, and nothing but a map or a list by an index. */
function checkIndex(node: TypedNode, source: string): Found | undefined {
  if (node.op !== '[]' && node.op !== '[?]') return undefined;
  const [range, index] = (node.args as [TypedNode, TypedNode]).map(({ checkedType }) => checkedType);
  if (!range || !index || isIndex(range, index)) return undefined;
  const types = `(${describeType(range.name)}, ${describeType(index.name)})`;
  return { message: mismatch(node.op === '[]' ? '_[_]' : '_[?_]', types), position: anchorOf(node, source) };
}

const INDEXED: ReadonlySet<string> = new Set(['dyn', 'list', 'param', 'optional']);

type NodeType = NonNullable<TypedNode['checkedType']>;

function isIndex(range: NodeType, index: NodeType): boolean {
  if (range.kind === 'map')
    return [range.keyType?.name, 'dyn'].includes(index.name) || range.keyType?.kind !== 'primitive';
  return INDEXED.has(range.kind);
}

const MAX = 2n ** 63n;

/** An integer of more than 64 bits; the smallest one is written with a minus. */
function checkInteger(node: TypedNode, source: string): Found | undefined {
  if (node.op !== 'value' || typeof node.args !== 'bigint' || node.args < MAX) return undefined;
  const before = source.slice(0, node.start);
  const isNegative = before.endsWith('-');
  if (node.args === MAX && isNegative) return undefined;
  return { message: 'invalid int literal', position: node.start - (isNegative ? 1 : 0) };
}

/** Literals that a function is certain to reject. */
function checkArgument(node: TypedNode, _: string, environment: Environment): Found | undefined {
  if (node.op !== 'call' && node.op !== 'rcall') return undefined;
  const [name] = node.args as [string];
  const literal = (node.args as TypedNode[][]).at(-1)?.at(-1);
  if (literal?.op !== 'value' || !Object.hasOwn(VALIDATED, name)) return undefined;
  if (isAccepted(name, literal.args, environment)) return undefined;
  return { message: `invalid ${VALIDATED[name]} argument`, position: literal.start };
}

/** A time may be a number of seconds, a duration may not. */
function isAccepted(name: string, literal: unknown, environment: Environment): boolean {
  if (typeof literal !== 'string') return name !== 'toDuration';
  try {
    if (name === 'matchesRe2') goRegExp(literal);
    else environment.evaluate(`${name}(${JSON.stringify(literal)})`);
    return true;
  } catch {
    return false;
  }
}

const VALIDATED: Readonly<Record<string, string>> = {
  matchesRe2: 'matches',
  toTimestamp: 'timestamp',
  toDuration: 'duration',
};

const FOLDED: ReadonlySet<string> = new Set(CONVERSIONS.map(([, name]) => name));

/** What a conversion of a literal fails with, which Kubernetes computes when it compiles. */
function failureOfConversion(node: TypedNode, environment: Environment, source: string): string | undefined {
  if (node.op !== 'call') return undefined;
  const [name, [argument]] = node.args as [string, TypedNode[]];
  if (!argument || !FOLDED.has(name) || !isLiteral(argument)) return undefined;
  try {
    environment.evaluate(`${name}(${source.slice(argument.start, argument.end)})`);
    return undefined;
  } catch (error) {
    return describeError(error);
  }
}

function isLiteral(node: TypedNode): boolean {
  if (node.op === '-_') return (node.args as TypedNode).op === 'value';
  return node.op === 'value';
}
