import type { batchv1 } from '@kubewright/kube';
import { isQualifiedName } from '@kubewright/kube/validation';
import { itemsAt } from '../../objects/read.ts';
import type { Field } from '../../validation/field.ts';
import { countIndexes, formatProblem } from './count-indexes.ts';

const ACTIONS = ['Count', 'FailIndex', 'FailJob', 'Ignore'] as const;
const OPERATORS = ['In', 'NotIn'] as const;
const STATUSES = ['False', 'True', 'Unknown'];

/** `spec.podFailurePolicy`: what a failed pod means, by exit code or condition. */
export function validateFailurePolicy(spec: Field<batchv1.JobSpec>): void {
  const policy = spec.maybeAt('podFailurePolicy');
  if (policy === undefined) return;
  const pod = spec.at('template').at('spec');
  const names = [...pod.items('containers'), ...pod.items('initContainers')].map((one) => one.text('name'));
  policy.atMostItems('rules', 20);
  for (const rule of policy.items('rules')) {
    validateAction(rule, spec.has('backoffLimitPerIndex'));
    if (rule.at('onExitCodes').isStruct) validateExitCodes(rule.at('onExitCodes'), names);
    validateConditions(rule);
    validateKinds(rule);
  }
}

function quoted(values: readonly string[]): string {
  return `valid values: [${values.map((value) => JSON.stringify(value)).join(' ')}]`;
}

function validateAction(rule: Field<batchv1.PodFailurePolicyRule>, perIndex: boolean): void {
  rule.requireOneOf('action', ACTIONS, quoted(ACTIONS));
  if (rule.is('action', 'FailIndex') && !perIndex)
    rule.at('action').addInvalid('requires the backoffLimitPerIndex to be set');
}

function validateKinds(rule: Field<batchv1.PodFailurePolicyRule>): void {
  const hasCodes = rule.has('onExitCodes');
  if (hasCodes !== itemsAt(rule.object, 'onPodConditions').length > 0) return;
  const detail = hasCodes
    ? 'specifying both OnExitCodes and OnPodConditions is not supported'
    : 'specifying one of OnExitCodes and OnPodConditions is required';
  rule.add([{ type: 'Invalid', field: rule.path, detail }]);
}

function validateConditions(rule: Field<batchv1.PodFailurePolicyRule>): void {
  rule.atMostItems('onPodConditions', 20);
  for (const pattern of rule.items('onPodConditions')) {
    pattern.matches('type', isQualifiedName);
    pattern.requireOneOf('status', STATUSES, quoted(STATUSES));
  }
}

function validateExitCodes(
  codes: Field<batchv1.PodFailurePolicyOnExitCodesRequirement>,
  names: readonly string[],
): void {
  const container = codes.maybeText('containerName');
  codes.requireOneOf('operator', OPERATORS, quoted(OPERATORS));
  if (container !== undefined && !names.includes(container))
    codes
      .at('containerName')
      .addInvalid('must be one of the container or initContainer names in the pod template');
  validateCodes(codes);
}

function validateCodes(codes: Field<batchv1.PodFailurePolicyOnExitCodesRequirement>): void {
  const values = itemsAt(codes.object, 'values').map(Number);
  const field = codes.at('values');
  if (values.length === 0) field.addInvalid('at least one value is required', { value: [] });
  codes.atMostItems('values', 255);
  for (const [index, value] of values.entries()) {
    if (value === 0 && codes.is('operator', 'In'))
      codes.items('values')[index]?.addInvalid('must not be 0 for the In operator', { value });
    if (values.indexOf(value) < index) codes.items('values')[index]?.addDuplicate(value);
  }
  if (values.some((value, index) => value < (values[index - 1] ?? value)))
    field.addInvalid('must be ordered', { value: values });
}

/** `spec.successPolicy`, of indexed Jobs. */
export function validateSuccessPolicy(spec: Field<batchv1.JobSpec>): void {
  const policy = spec.maybeAt('successPolicy');
  if (policy === undefined) return;
  if (!spec.is('completionMode', 'Indexed'))
    return policy.addInvalid('requires indexed completion mode', { as: 'batch.SuccessPolicy' });
  const rules = policy.items('rules');
  if (rules.length === 0)
    policy
      .at('rules')
      .addRequired('at least one rules must be specified when the successPolicy is specified');
  policy.atMostItems('rules', 20);
  for (const rule of rules) validateSuccessRule(rule, spec.number('completions'));
}

const LONGEST_INDEXES = 64 * 1024;

function validateSuccessRule(rule: Field<batchv1.SuccessPolicyRule>, completions: number): void {
  const [text, indexes] = [rule.maybeText('succeededIndexes'), rule.at('succeededIndexes')];
  const [count, counted] = [rule.number('succeededCount'), rule.at('succeededCount')];
  const problem = formatProblem(text ?? '', completions);
  const known = text === undefined ? count : countIndexes(text, completions);
  if (!rule.has('succeededCount') && text === undefined)
    rule.addRequired('at least one of succeededCount or succeededIndexes must be specified');
  if ((text ?? '').length > LONGEST_INDEXES) indexes.addTooLong(LONGEST_INDEXES);
  if (problem !== undefined) indexes.addInvalid(`error parsing succeededIndexes: ${problem}`);
  rule.nonNegative('succeededCount');
  const most = 'must be less than or equal to';
  if (count > completions)
    counted.addInvalid(`${most} ${completions} (the number of specified completions)`, { value: count });
  if (count > known) {
    const detail = `${most} ${known} (the number of indexes in the specified succeededIndexes field)`;
    counted.addInvalid(detail, { value: count });
  }
}
