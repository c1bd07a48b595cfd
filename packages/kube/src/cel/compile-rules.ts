import type { Json } from '../json/json.ts';
import type { FieldError } from '../schema/field-error.ts';
import type { SchemaNode } from '../schema/schema-node.ts';
import { CelMeter } from './cel-meter.ts';
import { isFailure } from './expression.ts';
import { compileRuleTree, type RuleTree } from './rule-tree.ts';
import { runRules } from './run-rules.ts';

/** A rule that does not compile, or whose messageExpression does not. */
export type RuleProblem = {
  /** The path of the rule's schema in the object: `spec.items[*].name`; empty for the root. */
  readonly path: string;
  readonly rule: string;
  readonly message: string;
};

/** The `x-kubernetes-validations` of a schema, ready to run. */
export type CompiledRules = {
  readonly isEmpty: boolean;
  readonly problems: readonly RuleProblem[];
  /**
   * What the rules find wrong with `value`; `old` is the object before an update, for transition rules. Errors of
   * places that an update did not change are left out (ratcheting). `value` must already satisfy the schema.
   */
  readonly validate: (value: Json, old?: Json) => FieldError[];
};

/**
 * Compiles the rules of a custom resource's schema (kubernetes.io/docs, "Validation rules").
 * A rule that does not compile is listed in `problems`, and fails every object that it is run on.
 */
export function compileRules(node: SchemaNode): CompiledRules {
  const meter = new CelMeter();
  const tree = compileRuleTree(node, meter);
  return {
    isEmpty: tree === undefined,
    problems: tree ? problemsOf(tree, '') : [],
    validate: (value, old) => (tree ? runRules(tree, meter, value, old) : []),
  };
}

function problemsOf(tree: RuleTree, path: string): RuleProblem[] {
  const own = tree.rules.flatMap(({ rule, condition, message }) =>
    [condition, message].flatMap((expression) =>
      expression && isFailure(expression) ? [{ path, rule: rule.rule, message: expression.failure }] : [],
    ),
  );
  return [
    ...own,
    ...tree.allOf.flatMap((nested) => problemsOf(nested, path)),
    ...[...tree.fields].flatMap(([name, field]) => problemsOf(field, path === '' ? name : `${path}.${name}`)),
    ...(tree.values ? problemsOf(tree.values, `${path}[*]`) : []),
    ...(tree.items ? problemsOf(tree.items, `${path}[*]`) : []),
  ];
}
