import { getOwn, isJsonArray, isJsonObject, type Json, type JsonObject } from '../json/json.ts';
import type { SchemaNode } from '../schema/schema-node.ts';
import { type CelType, CelTypes } from './cel-types.ts';
import { celEnvironment } from './cel-environment.ts';
import { compileExpression, type Expression, type Failure, isFailure } from './expression.ts';
import type { CelMeter } from './cel-meter.ts';
import { type Rule, rulesOf } from './rule.ts';
import { resolveFieldPath } from './resolve-field-path.ts';

/** The rules at one place of a schema, and those below it. */
export type RuleTree = {
  readonly node: SchemaNode;
  readonly type: CelType;
  readonly rules: readonly CompiledRule[];
  /** Rules inside `allOf`, about the same place. */
  readonly allOf: readonly RuleTree[];
  readonly fields: ReadonlyMap<string, RuleTree>;
  readonly values?: RuleTree;
  readonly items?: RuleTree;
};

export type CompiledRule = {
  readonly rule: Rule;
  readonly condition: Expression | Failure;
  readonly message?: Expression | Failure;
  readonly usesOldSelf: boolean;
  /** Where the error is reported, below the place of the rule; empty for the place itself. */
  readonly fieldPath: string;
};

/** What compiling needs at every place. */
type Compiler = { readonly types: CelTypes; readonly meter: CelMeter; readonly fork: () => Environment };
type Environment = ReturnType<typeof celEnvironment>;

/** Compiles all rules of a schema. Undefined if it has none. */
export function compileRuleTree(root: SchemaNode, meter: CelMeter): RuleTree | undefined {
  // Most schemas have no rules, and making CEL types of a large one takes long.
  if (!mentionsRules(root.source)) return undefined;
  const environment = celEnvironment();
  const types = new CelTypes(environment);
  // Types are registered before the first fork: a forked environment takes no more.
  types.typeOf(root, true);
  return build(root, root.source, { types, meter, fork: () => environment.clone() });
}

/** `validation` is the schema with the rules: the node's own, or one inside its `allOf`. */
function build(node: SchemaNode, validation: JsonObject, compiler: Compiler): RuleTree | undefined {
  const type = compiler.types.typeOf(node);
  if (!type) return undefined;
  const rules = compileRules(node, type, rulesOf(validation), compiler);
  const below = {
    allOf: listOf(validation, 'allOf').flatMap((nested) => build(node, nested, compiler) ?? []),
    fields: buildFields(node, validation, compiler),
    values: buildNested(
      node.kind === 'map' ? node.values : undefined,
      validation,
      'additionalProperties',
      compiler,
    ),
    items: buildNested(node.kind === 'list' ? node.items : undefined, validation, 'items', compiler),
  };
  const empty = rules.length + below.allOf.length + below.fields.size === 0 && !below.values && !below.items;
  if (empty) return undefined;
  const { values, items, ...others } = below;
  return { node, type, rules, ...others, ...(values && { values }), ...(items && { items }) };
}

function buildFields(node: SchemaNode, validation: JsonObject, compiler: Compiler): Map<string, RuleTree> {
  const trees = new Map<string, RuleTree>();
  const properties = getOwn(validation, 'properties');
  if (node.kind !== 'struct' || !isJsonObject(properties)) return trees;
  for (const [name, field] of node.fields) {
    const schema = getOwn(properties, name);
    const tree = isJsonObject(schema) ? build(field.node, schema, compiler) : undefined;
    if (tree) trees.set(name, tree);
  }
  return trees;
}

function buildNested(
  node: SchemaNode | undefined,
  validation: JsonObject,
  key: string,
  compiler: Compiler,
): RuleTree | undefined {
  const schema = getOwn(validation, key);
  return node && isJsonObject(schema) ? build(node, schema, compiler) : undefined;
}

function compileRules(
  node: SchemaNode,
  type: CelType,
  rules: readonly Rule[],
  { meter, fork }: Compiler,
): CompiledRule[] {
  const environments = new Map<boolean, Environment>();
  const environmentFor = (optionalOldSelf: boolean): Environment => {
    const known = environments.get(optionalOldSelf);
    if (known) return known;
    const created = fork()
      .registerVariable('self', type.name)
      .registerVariable('oldSelf', optionalOldSelf ? `optional<${type.name}>` : type.name);
    environments.set(optionalOldSelf, created);
    return created;
  };
  return rules
    .filter(({ rule }) => rule.trim() !== '')
    .map((rule) => compileRule(node, rule, environmentFor(rule.optionalOldSelf), meter));
}

function compileRule(node: SchemaNode, rule: Rule, environment: Environment, meter: CelMeter): CompiledRule {
  const condition = compileExpression(environment, rule.rule, 'bool', meter);
  const message =
    rule.messageExpression && compileExpression(environment, rule.messageExpression, 'string', meter);
  return {
    rule,
    condition,
    usesOldSelf: !isFailure(condition) && condition.usesOldSelf,
    fieldPath: rule.fieldPath ? (resolveFieldPath(node, rule.fieldPath) ?? '') : '',
    ...(message && { message }),
  };
}

function mentionsRules(schema: Json): boolean {
  if (isJsonArray(schema)) return schema.some(mentionsRules);
  if (!isJsonObject(schema)) return false;
  return Object.hasOwn(schema, 'x-kubernetes-validations') || Object.values(schema).some(mentionsRules);
}

function listOf(schema: JsonObject, key: string): JsonObject[] {
  const list = getOwn(schema, key);
  return isJsonArray(list) ? list.filter(isJsonObject) : [];
}
