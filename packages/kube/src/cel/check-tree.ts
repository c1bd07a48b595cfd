import { failed } from './failed.ts';
import { type CelNode, nodesOf } from './cel-node.ts';
import { hasOfPath, isFieldPath } from './has-of-path.ts';

/** Rejects what Kubernetes rejects at compile time and the library does not. Call it before the type check. */
export function checkTree(root: unknown): void {
  for (const node of nodesOf(root)) {
    const [name] = Array.isArray(node.args) ? (node.args as unknown[]) : [];
    if (node.op === 'call' && name === 'has') checkFieldOfHas(node);
    if (node.op === '.?') checkFieldOfOptional(node);
    if (node.op === 'rcall') checkNamespace(node);
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

type TypeCheck = (checker: Fields, node: CelNode, context: unknown) => unknown;
type Fields = {
  readonly objectTypes: ReadonlyMap<string, { readonly fields?: Readonly<Record<string, unknown>> }>;
  readonly createError: (code: string, message: string, node: CelNode) => Error;
};
type Checkable = CelNode & { check: TypeCheck };

/** The library accepts `self.?x` for an `x` that is not in the schema. */
function checkFieldOfOptional(node: CelNode): void {
  const checkable = node as Checkable;
  const { check } = checkable;
  checkable.check = (checker, self, context) => {
    const type = check.call(node, checker, self, context);
    const [receiver, field] = node.args as [CelNode & { checkedType?: { name: string } }, string];
    const fields = checker.objectTypes.get(receiver.checkedType?.name ?? '')?.fields;
    if (fields && !Object.hasOwn(fields, field))
      throw checker.createError('no_such_key', `No such key: ${field}`, node);
    return type;
  };
}

/** The library has functions of `cel` and `math`, which Kubernetes has not. */
function checkNamespace({ args }: CelNode): void {
  const [, receiver] = args as [string, CelNode];
  if (receiver.op !== 'id' || !NAMESPACES.has(String(receiver.args))) return;
  throw Object.assign(failed('unknown namespace'), {
    code: 'unknown_variable',
    summary: `Unknown variable: ${String(receiver.args)}`,
    node: receiver,
    range: receiver,
  });
}

const NAMESPACES: ReadonlySet<string> = new Set(['cel', 'math', 'base64']);
