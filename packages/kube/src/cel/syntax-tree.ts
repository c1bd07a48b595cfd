import type { CelMeter } from './meter.ts';

/** As much of a node of the CEL library's syntax tree as is needed here; see its `parser.js`. */
export type CelNode = {
  readonly op: string;
  args: unknown;
  readonly meta?: { readonly alternate?: CelNode; readonly macro?: Readonly<Record<string, unknown>> };
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

/** Has functions of the CEL library called by other names, under which ours stand in for them. */
export function renameFunctions(root: unknown, names: ReadonlyMap<string, string>): void {
  for (const node of nodesOf(root)) {
    if ((node.op !== 'rcall' && node.op !== 'call') || !Array.isArray(node.args)) continue;
    const replacement = names.get(String(node.args[0]));
    if (replacement !== undefined) node.args = [replacement, ...(node.args.slice(1) as unknown[])];
  }
}

/** Makes what can multiply work pay for it: each turn of a comprehension, and each value that `+` puts together. */
export function meterTree(root: unknown, meter: CelMeter): void {
  for (const node of nodesOf(root)) {
    if (node.op === '+') payForResult(node, meter);
    if (node.op === 'comprehension') payForTurns((node.args as { step: CelNode }).step, meter);
  }
}

function payForTurns(step: CelNode, meter: CelMeter): void {
  let size = 1;
  for (const _ of nodesOf(step)) size++;
  intercept(step, (run) => {
    meter.spend(size);
    return run();
  });
}

function payForResult(node: CelNode, meter: CelMeter): void {
  intercept(node, (run) => {
    const result = run();
    if (typeof result === 'string' || Array.isArray(result)) meter.spend(1 + result.length / 10);
    return result;
  });
}

/** Runs `around` in place of a node's evaluation. The library replaces `evaluate` at first use; that is kept. */
function intercept(node: CelNode, around: (run: () => unknown) => unknown): void {
  let inner = node.evaluate;
  const outer: CelNode['evaluate'] = (evaluator, self, context) =>
    around(() => inner.call(node, evaluator, self, context));
  Object.defineProperty(node, 'evaluate', {
    get: () => outer,
    set: (next: CelNode['evaluate']) => {
      inner = next;
    },
  });
}

function isNode(value: object): value is CelNode {
  return 'op' in value && typeof value.op === 'string' && 'evaluate' in value && 'args' in value;
}
