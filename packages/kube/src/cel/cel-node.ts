import { costOfCall, costOfOperator, CAUGHT, sizeOf } from './cel-cost.ts';
import type { CelMeter } from './cel-meter.ts';

/** As much of a node of the CEL library's syntax tree as is needed here; see its `parser.js`. */
export type CelNode = {
  readonly op: string;
  args: unknown;
  readonly meta?: { readonly alternate?: CelNode; readonly macro?: Record<string, unknown> };
  /** Of calls and operators: what is done once their arguments are known. The check of types sets it. */
  handle?: Handle;
  evaluate: (evaluator: unknown, node: unknown, context: unknown) => unknown;
};

type Handle = (...args: unknown[]) => unknown;

/** Every node below and including `root`, macros expanded. In a loop: an expression may nest as deep as it is long. */
export function nodesOf(root: unknown): readonly CelNode[] {
  const seen = new Set<object>();
  const nodes: CelNode[] = [];
  const waiting = [root];
  while (waiting.length > 0) {
    const next = waiting.pop();
    if (typeof next !== 'object' || next === null || seen.has(next)) continue;
    seen.add(next);
    if (isNode(next)) nodes.push(next);
    for (const member of membersOf(next).toReversed()) waiting.push(member);
  }
  return nodes;
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

/**
 * Meters what can multiply work: each turn of a comprehension, and calls and operators by the size of what they get and
 * give. After the check of types.
 */
export function meterTree(root: unknown, meter: CelMeter): void {
  for (const node of nodesOf(root)) {
    if (node.op === 'comprehension') {
      payForTurns((node.args as { step: CelNode }).step, meter);
      // The keys of a map are copied first; a list is paid for turn by turn.
      payBefore(node, meter, ([range]) => (Array.isArray(range) ? 0 : sizeOf(range)));
    } else if (node.op === 'call' || node.op === 'rcall') {
      const name = String((node.args as unknown[])[0]);
      payBefore(node, meter, ([args]) => costOfCall(name, args as unknown[]));
    } else if (OPERATORS.has(node.op)) {
      payBefore(node, meter, ([left, right]) => costOfOperator(node.op, left, right));
    }
    const body = node.meta?.macro?.[MACRO_BODY];
    if (body) payForTurns(body as CelNode, meter);
  }
}

const OPERATORS: ReadonlySet<string> = new Set(['+', '==', '!=', '<', '<=', '>', '>=', 'in']);

function payBefore(node: CelNode, meter: CelMeter, cost: (args: readonly unknown[]) => number): void {
  const { handle } = node;
  if (handle === undefined) return;
  node.handle = (...args) => {
    meter.spend(cost(args));
    return paid(handle(...args), meter);
  };
}

/** The member of a macro of ours that holds the expression it repeats. */
export const MACRO_BODY = 'body';

/** Keeps the last value of a node. */
export function recording(node: CelNode): () => unknown {
  let last: unknown;
  intercept(node, (run) => (last = run()));
  return () => last;
}

function payForTurns(step: CelNode, meter: CelMeter): void {
  const size = 1 + nodesOf(step).length;
  intercept(step, (run) => {
    meter.spend(size);
    try {
      return run();
    } catch (error) {
      // Quantifiers go on after an error.
      meter.spend(CAUGHT);
      throw error;
    }
  });
}

/** A list was made item by item, and a text at about a tenth of that. */
function paid(result: unknown, meter: CelMeter): unknown {
  if (typeof result === 'string' || Array.isArray(result)) meter.spend(1 + result.length / 10);
  return result;
}

/**
 * Runs `around` in place of a node's evaluation; may be done to one node several times. The library replaces `evaluate`
 * when it is first used: that takes the place of what it replaced, inside of all interceptions.
 */
export function intercept(node: CelNode, around: (run: () => unknown) => unknown): void {
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
