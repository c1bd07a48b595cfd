import { Optional } from '@marcbachmann/cel-js';
import { getOwn } from '../json/json.ts';
import { KubeError } from '../kube-error.ts';
import { utf8Length } from '../object/utf8-length.ts';
import type { FieldError } from '../schema/field-error.ts';
import { describeError } from './describe-error.ts';
import { type Expression, isFailure } from './expression.ts';
import { ruleName } from './rule.ts';
import type { CompiledRule, RuleTree } from './rule-tree.ts';
import { trimSpace } from './trim-space.ts';
import type { Place, RuleRun } from './rule-run.ts';

/** Cost limit of one evaluation: about 100 ms. */
const CALL_LIMIT = 500_000;
const MAX_MESSAGE_BYTES = 5 * 1024;
const OUT_OF_BUDGET =
  'validation failed due to running out of cost budget, no further validation rules will be run';

type Variables = Parameters<Expression['run']>[0];

/** Runs the rules of one place on its value, and adds what they find to the run. */
export function evaluateRules(run: RuleRun, tree: RuleTree, place: Place): void {
  if (tree.rules.length === 0) return;
  const variables = variablesOf(tree, place);
  for (const rule of tree.rules) {
    if (run.budget < 0) return;
    if (run.budget === 0) stop(run, ruleError(tree, place, OUT_OF_BUDGET));
    else if (isDue(rule, place)) evaluateRule(run, tree, rule, place, variables(rule));
  }
}

/** A transition rule needs an old value, unless it has `optionalOldSelf`. */
function isDue(rule: CompiledRule, place: Place): boolean {
  return !rule.usesOldSelf || hasOldValue(place) || rule.rule.optionalOldSelf;
}

function hasOldValue({ old }: Place): boolean {
  return old !== undefined && old !== null;
}

/** The variables of a rule; values are turned into CEL values once, when a rule needs them. */
function variablesOf(tree: RuleTree, place: Place): (rule: CompiledRule) => () => Variables {
  let self: { value: unknown } | undefined;
  let oldSelf: { value: unknown } | undefined;
  return (rule) => () => {
    self ??= { value: tree.type.toCel(place.value) };
    if (rule.usesOldSelf && hasOldValue(place)) oldSelf ??= { value: tree.type.toCel(place.old ?? null) };
    const plain = oldSelf?.value;
    const optional = rule.rule.optionalOldSelf;
    return { self: self.value, oldSelf: optional ? Optional.of(plain) : plain };
  };
}

function evaluateRule(
  run: RuleRun,
  tree: RuleTree,
  rule: CompiledRule,
  place: Place,
  variables: () => Variables,
): void {
  if (isFailure(rule.condition)) {
    run.errors.push(ruleError(tree, place, `rule compile error: ${rule.condition.failure}`));
    return;
  }
  const outcome = evaluate(run, rule.condition, variables);
  if (outcome.kind === 'value') {
    if (outcome.value !== true) reportBroken(run, tree, rule, place, variables);
  } else if (outcome.kind === 'error') {
    run.errors.push(ruleError(tree, place, describeOutcome(outcome.error, ruleName(rule.rule))));
  } else {
    stop(
      run,
      ruleError(tree, place, outcome.kind === 'call' ? callTooDear(ruleName(rule.rule)) : OUT_OF_BUDGET),
    );
  }
}

type Outcome =
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'error'; readonly error: unknown }
  /** The evaluation was stopped: it exceeds its own limit, or the object's budget. */
  | { readonly kind: 'call' | 'budget' };

function evaluate(run: RuleRun, expression: Expression, variables: () => Variables): Outcome {
  const allowed = Math.min(CALL_LIMIT, run.budget);
  run.meter.start(allowed);
  const outcome = attempt(() => expression.run(variables()));
  if (run.meter.exceeded) return { kind: allowed === CALL_LIMIT ? 'call' : 'budget' };
  run.budget -= run.meter.cost;
  return outcome;
}

function attempt(step: () => unknown): Outcome {
  try {
    return { kind: 'value', value: step() };
  } catch (error) {
    if (error instanceof KubeError && error.code === 'CostExceeded') return { kind: 'call' };
    return { kind: 'error', error };
  }
}

function reportBroken(
  run: RuleRun,
  tree: RuleTree,
  rule: CompiledRule,
  place: Place,
  variables: () => Variables,
): void {
  // Ratcheting: an update may keep an invalid value that it does not change. Transition rules always apply.
  if (!rule.usesOldSelf && place.isUnchanged()) return;
  const path = rule.fieldPath === '' ? place.path : join(place.path, rule.fieldPath);
  const detail = expressedMessage(run, rule, variables) ?? plainMessage(rule);
  run.errors.push(brokenRule(tree, { ...place, path }, detail, rule.rule.reason));
}

function brokenRule(tree: RuleTree, place: Place, detail: string, reason: string | undefined): FieldError {
  const field = place.path === '' ? '<nil>' : place.path;
  const showsValue = tree.node.kind === 'scalar' || tree.node.kind === 'any';
  const shown = showsValue ? { value: place.value } : {};
  switch (reason) {
    case 'FieldValueForbidden':
      return { type: 'Forbidden', field, detail };
    case 'FieldValueRequired':
      return { type: 'Required', field, detail };
    case 'FieldValueDuplicate':
      return { type: 'Duplicate', field, detail: '', ...shown };
    default:
      return { type: 'Invalid', field, detail, ...shown };
  }
}

function plainMessage({ rule }: CompiledRule): string {
  return rule.message === '' ? `failed rule: ${ruleName(rule)}` : trimSpace(rule.message);
}

/** The result of `messageExpression`, if it is a valid message. */
function expressedMessage(run: RuleRun, rule: CompiledRule, variables: () => Variables): string | undefined {
  if (!rule.message || isFailure(rule.message)) return undefined;
  const outcome = evaluate(run, rule.message, variables);
  if (outcome.kind !== 'value' || typeof outcome.value !== 'string') return undefined;
  const text = trimSpace(outcome.value);
  return text === '' || text.includes('\n') || utf8Length(text) > MAX_MESSAGE_BYTES ? undefined : text;
}

function describeOutcome(error: unknown, rule: string): string {
  const text = describeError(error);
  return text.startsWith('no such overload')
    ? `'${text}': call arguments did not match a supported operator, function or macro signature for rule: ${rule}`
    : `${text} evaluating rule: ${rule}`;
}

function callTooDear(rule: string): string {
  return `'operation cancelled: actual cost limit exceeded': no further validation rules will be run due to call cost exceeds limit for rule: ${rule}`;
}

/** An error about a rule, not about a value: it shows the schema's type in place of the value. */
function ruleError({ node }: RuleTree, { path }: Place, detail: string): FieldError {
  const type = getOwn(node.source, 'type');
  return { type: 'Invalid', field: path === '' ? '<nil>' : path, value: type ?? '', detail };
}

function stop(run: RuleRun, error: FieldError): void {
  run.errors.push(error);
  run.budget = -1;
}

function join(path: string, below: string): string {
  return path === '' || below.startsWith('[') ? path + below : `${path}.${below}`;
}
