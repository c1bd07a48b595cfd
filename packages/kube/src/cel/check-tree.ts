import type { Environment } from '@marcbachmann/cel-js';
import { KubeError } from '../kube-error.ts';
import { goRegExp } from './go-regexp.ts';
import { type CelNode, nodesOf } from './cel-node.ts';

/** Rejects what Kubernetes rejects at compile time and the library does not. Call it before the type check. */
export function checkTree(root: unknown, environment: Environment): void {
  for (const node of nodesOf(root)) {
    const [name] = Array.isArray(node.args) ? (node.args as unknown[]) : [];
    if (node.op === 'call' && name === 'has') checkFieldOfHas(node);
    if (node.op === 'call' || node.op === 'rcall') checkLiteral(node, String(name), environment);
  }
}

type Check = (checker: { check: Check }, macro: unknown, context: unknown) => unknown;

/** The library accepts `has(self.x)` for an `x` that is not in the schema. */
function checkFieldOfHas({ meta, args }: CelNode): void {
  const macro = meta?.macro;
  const typeCheck = macro?.['typeCheck'] as Check | undefined;
  if (!macro || !typeCheck) return;
  const [field] = (args as [string, CelNode[]])[1];
  macro['typeCheck'] = ((checker, self, context) => {
    const type = typeCheck(checker, self, context);
    (checker.check as (node: unknown, context: unknown) => unknown)(field, context);
    return type;
  }) satisfies Check;
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
