import type { Environment } from '@marcbachmann/cel-js';
import { KubeError } from '../kube-error.ts';
import { goRegExp } from './go-regexp.ts';
import { type CelNode, nodesOf } from './cel-node.ts';
import { hasOfPath, isFieldPath } from './has-of-path.ts';

/** Rejects what Kubernetes rejects at compile time and the library does not. Call it before the type check. */
export function checkTree(root: unknown, environment: Environment): void {
  for (const node of nodesOf(root)) {
    const [name] = Array.isArray(node.args) ? (node.args as unknown[]) : [];
    if (node.op === 'call' && name === 'has') checkFieldOfHas(node);
    if (node.op === 'call' || node.op === 'rcall') checkLiteral(node, String(name), environment);
  }
}

type Checker = { readonly check: unknown; readonly getType: (name: string) => unknown };
type Check = (checker: Checker, macro: unknown, context: unknown) => unknown;

/** The library accepts `has(self.x)` for an `x` that is not in the schema, and rejects `has(self[0].x)`. */
function checkFieldOfHas({ meta, args }: CelNode): void {
  const macro = meta?.macro;
  const typeCheck = macro?.['typeCheck'] as Check | undefined;
  if (!macro || !typeCheck) return;
  const [field] = (args as [string, CelNode[]])[1];
  const isTaken = field === undefined || field.op !== '.' || isFieldPath(field);
  macro['typeCheck'] = ((checker, self, context) => {
    const type = isTaken ? typeCheck(checker, self, context) : checker.getType('bool');
    (checker.check as (node: unknown, context: unknown) => unknown)(field, context);
    return type;
  }) satisfies Check;
  if (!isTaken) macro['evaluate'] = hasOfPath(field);
}

/** Literals that a function is certain to reject. */
function checkLiteral({ args }: CelNode, name: string, environment: Environment): void {
  const literal = (args as CelNode[][]).at(-1)?.at(-1);
  const text = literal?.op === 'value' ? literal.args : undefined;
  if (typeof text !== 'string') return;
  const attempts = new Map<string, () => unknown>([
    ['matchesRe2', () => goRegExp(text)],
    ['timestamp', () => environment.evaluate(`timestamp(${JSON.stringify(text)})`)],
    ['duration', () => environment.evaluate(`duration(${JSON.stringify(text)})`)],
  ]);
  try {
    attempts.get(name)?.();
  } catch (error) {
    const shown = name === 'matchesRe2' ? 'matches' : name;
    throw new KubeError('InvalidExpression', `invalid ${shown} argument`, { cause: error });
  }
}
