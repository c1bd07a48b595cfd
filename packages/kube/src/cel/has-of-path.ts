import { Optional } from '@marcbachmann/cel-js';
import type { CelNode } from './cel-node.ts';

/** As much as is needed here of what the CEL library hands to a macro; see its `macros.js`. */
type Evaluator = {
  run(node: CelNode, context: unknown): unknown;
  debugType(value: unknown): {
    fieldLazy(value: unknown, name: string, node: CelNode, evaluator: Evaluator): unknown;
  };
};

/** Whether the library's own `has` takes this: a variable, and fields of it. */
export function isFieldPath(node: CelNode): boolean {
  if (node.op === 'id') return true;
  if (node.op !== '.' && node.op !== '.?') return false;
  return isFieldPath((node.args as [CelNode])[0]);
}

/** The evaluation of `has(self[0].name)`, `has(f(self).name)`: errors of what comes before the last field are errors. */
export function hasOfPath(field: CelNode) {
  const [operand, name] = field.args as [CelNode, string];
  return (evaluator: Evaluator, _macro: unknown, context: unknown): boolean => {
    const value = evaluator.run(operand, context);
    if (!(value instanceof Optional)) return isSet(evaluator, value, name, field);
    return value.hasValue() && isSet(evaluator, value.value(), name, field);
  };
}

function isSet(evaluator: Evaluator, value: unknown, name: string, node: CelNode): boolean {
  return evaluator.debugType(value).fieldLazy(value, name, node, evaluator) !== undefined;
}
