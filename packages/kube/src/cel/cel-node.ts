import { celEquals } from './cel-equals.ts';
import { joinLists, keysOfList } from './keyed-list.ts';
import type { CelMeter } from './cel-meter.ts';

/** As much of a node of the CEL library's syntax tree as is needed here; see its `parser.js`. */
export type CelNode = {
  readonly op: string;
  args: unknown;
  readonly meta?: { readonly alternate?: CelNode; readonly macro?: Record<string, unknown> };
  evaluate: (evaluator: unknown, node: unknown, context: unknown) => unknown;
};

/** Every node below and including `root`, macros expanded. */
export function* nodesOf(root: unknown, seen: Set<unknown> = new Set()): Iterable<CelNode> {
  if (typeof root !== 'object' || root === null || seen.has(root)) return;
  seen.add(root);
  if (isNode(root)) yield root;
  for (const member of membersOf(root)) yield* nodesOf(member, seen);
}

/** A list's items, a node's arguments and what it expands to, or the members of a macro, which is a plain record. */
function membersOf(parent: object): readonly unknown[] {
  if (isNode(parent)) return [parent.args, parent.meta?.alternate, parent.meta?.macro];
  return Object.values(parent);
}

/** True if the expression mentions the variable `name`. */
export function usesVariable(root: unknown, name: string): boolean {
  for (const node of nodesOf(root)) if (node.op === 'id' && node.args === name) return true;
  return false;
}

/** Renames calls of the library's functions to the names of their replacements. */
export function renameFunctions(root: unknown, names: ReadonlyMap<string, string>): void {
  for (const node of nodesOf(root)) {
    if ((node.op !== 'rcall' && node.op !== 'call') || !Array.isArray(node.args)) continue;
    const replacement = names.get(String(node.args[0]));
    if (replacement !== undefined) node.args = [replacement, ...(node.args.slice(1) as unknown[])];
  }
}

/** Meters what can multiply work: each iteration of a comprehension, and each value that `+` joins. */
export function meterTree(root: unknown, meter: CelMeter): void {
  for (const node of nodesOf(root)) {
    if (node.op === '+') intercept(node, (run) => paid(run(), meter));
    if (node.op === 'comprehension') payForTurns((node.args as { step: CelNode }).step, meter);
    const body = node.meta?.macro?.[MACRO_BODY];
    if (body) payForTurns(body as CelNode, meter);
  }
}

/** The member of a macro of ours that holds the expression it repeats. */
export const MACRO_BODY = 'body';

/** Implements `+`, `==` and `!=` for lists of type `set` and `map`, which the library does not support. */
export function typeLists(root: unknown): void {
  for (const node of nodesOf(root)) {
    if (node.op !== '+' && node.op !== '==' && node.op !== '!=') continue;
    const [left, right] = node.args as [CelNode, CelNode];
    const values = { left: recording(left), right: recording(right) };
    intercept(node, (run) => {
      const result = run();
      if (node.op === '+') return Array.isArray(result) ? joinLists(values.left(), result) : result;
      if (keysOfList(values.left()) === undefined && keysOfList(values.right()) === undefined) return result;
      return celEquals(values.left(), values.right()) === (node.op === '==');
    });
  }
}

/** Keeps the last value of a node. */
function recording(node: CelNode): () => unknown {
  let last: unknown;
  intercept(node, (run) => (last = run()));
  return () => last;
}

function payForTurns(step: CelNode, meter: CelMeter): void {
  let size = 1;
  for (const _ of nodesOf(step)) size++;
  intercept(step, (run) => {
    meter.spend(size);
    return run();
  });
}

function paid(result: unknown, meter: CelMeter): unknown {
  if (typeof result === 'string' || Array.isArray(result)) meter.spend(1 + result.length / 10);
  return result;
}

/**
 * Runs `around` in place of a node's evaluation; may be done to one node several times. The library replaces `evaluate`
 * when it is first used: that takes the place of what it replaced, inside of all interceptions.
 */
function intercept(node: CelNode, around: (run: () => unknown) => unknown): void {
  const earlier = Object.getOwnPropertyDescriptor(node, 'evaluate');
  let inner = node.evaluate;
  const outer: CelNode['evaluate'] = (evaluator, self, context) =>
    around(() => inner.call(node, evaluator, self, context));
  const replace = (next: CelNode['evaluate']): void => {
    if (earlier?.set) earlier.set(next);
    else inner = next;
  };
  Object.defineProperty(node, 'evaluate', { get: () => outer, set: replace, configurable: true });
}

function isNode(value: object): value is CelNode {
  return 'op' in value && typeof value.op === 'string' && 'evaluate' in value && 'args' in value;
}
