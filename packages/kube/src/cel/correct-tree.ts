import type { Environment } from '@marcbachmann/cel-js';
import { compareCodePoints } from '../json/compare-code-points.ts';
import { celEquals } from './cel-equals.ts';
import { type CelNode, intercept, nodesOf, recording } from './cel-node.ts';
import { failed } from './failed.ts';
import { joinLists, keysOfList } from './keyed-list.ts';
import { inYears } from './library/parse-timestamp.ts';
import type { Located } from './anchor-of.ts';

type Correction = (node: CelNode) => void;

/** Corrects the evaluation of a checked tree where the library's is not that of cel-go. */
export function correctTree(root: unknown): void {
  for (const node of nodesOf(root)) if (Object.hasOwn(CORRECTIONS, node.op)) CORRECTIONS[node.op]?.(node);
}

const CORRECTIONS: Readonly<Record<string, Correction>> = {
  '+': (node) => {
    joinKeyedLists(node);
    boundResult(node);
  },
  '-': boundResult,
  '/': boundResult,
  '-_': boundResult,
  '==': compareKeyedLists,
  '!=': compareKeyedLists,
  '<': (node) => compareTexts(node, (order) => order < 0),
  '<=': (node) => compareTexts(node, (order) => order <= 0),
  '>': (node) => compareTexts(node, (order) => order > 0),
  '>=': (node) => compareTexts(node, (order) => order >= 0),
  map: makeMap,
};

/** Integers of 64 bits, and times with four digits for the year. */
function boundResult(node: CelNode): void {
  intercept(node, (run) => {
    const result = run();
    if (typeof result === 'bigint' && BigInt.asIntN(64, result) !== result) throw failed('integer overflow');
    return result instanceof Date ? inYears(result) : result;
  });
}

/** The union of lists of type `set` and `map`, which the library does not know. */
function joinKeyedLists(node: CelNode): void {
  const left = recording((node.args as [CelNode])[0]);
  intercept(node, (run) => {
    const result = run();
    return Array.isArray(result) ? joinLists(left(), result) : result;
  });
}

/** Lists of type `set` and `map` are equal in any order. */
function compareKeyedLists(node: CelNode): void {
  const [left, right] = (node.args as [CelNode, CelNode]).map(recording);
  intercept(node, (run) => {
    const result = run();
    const [a, b] = [left?.(), right?.()];
    if (keysOfList(a) === undefined && keysOfList(b) === undefined) return result;
    return celEquals(a, b) === (node.op === '==');
  });
}

/** By code points; the library compares UTF-16. */
function compareTexts(node: CelNode, isTrue: (order: number) => boolean): void {
  const [left, right] = (node.args as [CelNode, CelNode]).map(recording);
  intercept(node, (run) => {
    const result = run();
    const [a, b] = [left?.(), right?.()];
    return typeof a === 'string' && typeof b === 'string' ? isTrue(compareCodePoints(a, b)) : result;
  });
}

type MapRun = { run(node: CelNode, context: unknown): unknown };

/** A map that an expression writes: the library makes a plain object, whose keys are texts. */
function makeMap(node: CelNode): void {
  const entries = node.args as readonly (readonly [CelNode, CelNode])[];
  node.evaluate = (evaluator, _, context) => {
    const valueOf = (member: CelNode): unknown => (evaluator as MapRun).run(member, context);
    return new Map(entries.map(([key, value]) => [valueOf(key), valueOf(value)]));
  };
}

/** Characters of a literal of bytes are their UTF-8; the library takes the low byte of each. Before the check of types. */
export function correctBytes(root: unknown, source: string, environment: Environment): void {
  for (const node of nodesOf(root) as readonly Located[]) {
    if (node.op !== 'value' || !(node.args instanceof Uint8Array)) continue;
    const text = source.slice(node.start, node.end);
    const escaped = text.replaceAll(/[^\0-\x7f]/gu, (character) =>
      Array.from(new TextEncoder().encode(character), (byte) => `\\x${byte.toString(16)}`).join(''),
    );
    if (escaped !== text) node.args = nodesOf(environment.parse(escaped).ast)[0]?.args;
  }
}
