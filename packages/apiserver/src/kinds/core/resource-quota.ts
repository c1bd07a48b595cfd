import { compareText, type corev1, jsonEqual, type JsonObject } from '@kubewright/kube';
import { compareQuantity } from '@kubewright/kube/quantity';
import { fieldErrors } from '@kubewright/kube/validation';
import type { Strategy } from '../../model/resource-definition.ts';
import { specValidation } from '../../model/spec-validation.ts';
import { isStandardQuotaName, validateQuotaAmounts } from '../../pods/validate-resources.ts';
import { NONE, nameIsDnsSubdomain } from '../../validation/errors.ts';
import { Field } from '../../validation/field.ts';
import { statusErrors } from '../../validation/spec-errors.ts';
import { validateObjectMetaUpdate } from '../../validation/validate-object-meta.ts';
import { maybeString, objectAt, specOf } from '../../objects/read.ts';
import { clearStatus, keepOld, STATUS_RESET, statusStrategy } from '../../model/status-strategy.ts';

type Spec = Field<corev1.ResourceQuotaSpec>;

const RULES = { namespaced: true, name: nameIsDnsSubdomain };

/** `v1 ResourceQuota`. */
export const resourceQuota: Strategy = {
  prepareForCreate: clearStatus(),
  prepareForUpdate: (object, old) => keepOld(object, old, 'status'),
  ...specValidation(RULES, validateSpec),
  warnings: (object, old) => (old === undefined ? warningsOf(objectAt(specOf(object), 'hard')) : []),
  resetFields: STATUS_RESET,
};

export const resourceQuotaStatus: Strategy = statusStrategy((object, old) => [
  ...validateObjectMetaUpdate(object, old),
  ...((object.metadata.resourceVersion ?? '') === '' ? [fieldErrors.required('resourceVersion', '')] : NONE),
  ...statusErrors(validateStatus, object, old),
]);

function validateStatus(status: Field<corev1.ResourceQuotaStatus>): void {
  status.at('hard').check(validateQuotaAmounts);
  status.at('used').check(validateQuotaAmounts);
}

function validateSpec(spec: Spec, old?: Spec): void {
  const selector = spec.maybeAt('scopeSelector');
  spec.at('hard').check(validateQuotaAmounts);
  validateScopes(spec);
  if (selector !== undefined) validateSelector(spec, selector);
  if (old !== undefined && !jsonEqual(scopesOf(spec), scopesOf(old)))
    spec.at('scopes').addInvalid('field is immutable');
}

function scopesOf(spec: Spec): readonly string[] {
  return [...new Set(spec.texts('scopes'))].sort(compareText);
}

const ALWAYS_EXIST = [
  'BestEffort',
  'CrossNamespacePodAffinity',
  'NotBestEffort',
  'NotTerminating',
  'Terminating',
];
const SCOPES = [...ALWAYS_EXIST, 'PriorityClass', 'VolumeAttributesClass'];
const EXCLUSIVE = [
  ['BestEffort', 'NotBestEffort'],
  ['Terminating', 'NotTerminating'],
] as const;
const UNFITTING = 'unsupported scope applied to resource';
const COMPUTE = ['', 'limits.', 'requests.'].flatMap((prefix) => [`${prefix}cpu`, `${prefix}memory`]);

function validateScopes(spec: Spec): void {
  const [scopes, field] = [spec.texts('scopes'), spec.at('scopes')];
  for (const scope of scopes) {
    if (!SCOPES.includes(scope)) field.addInvalid('unsupported scope');
    for (const _ of unfitting(spec, scope)) field.addInvalid(UNFITTING);
  }
  validateConflicts(spec, scopes, field);
}

function validateConflicts<T>(spec: Spec, scopes: readonly string[], field: Field<T>): void {
  for (const pair of EXCLUSIVE)
    if (pair.every((one) => scopes.includes(one)))
      field.addInvalid('conflicting scopes', { value: spec.at('scopes').value });
}

/** What is limited though a scope leaves nothing of it. */
function unfitting(spec: Spec, scope: string): readonly string[] {
  const names = Object.keys(spec.at('hard').object).filter(isStandardQuotaName);
  return names.filter((name) => !isValidFor(scope, name));
}

function isValidFor(scope: string, name: string): boolean {
  if (scope === 'BestEffort') return name === 'pods';
  if (scope === 'VolumeAttributesClass')
    return name === 'persistentvolumeclaims' || name === 'requests.storage';
  return !SCOPES.includes(scope) || name === 'pods' || COMPUTE.includes(name);
}

function validateSelector(spec: Spec, selector: Field<corev1.ScopeSelector>): void {
  const list = selector.at('matchExpressions');
  const expressions = selector.items('matchExpressions');
  for (const expression of expressions) {
    // The path has no index, as upstream.
    const requirement = new Field<corev1.ScopedResourceSelectorRequirement>(expression.value, list);
    const value = requirement.text('scopeName');
    if (!SCOPES.includes(value)) requirement.at('scopeName').addInvalid('unsupported scope', { value });
    for (const _ of unfitting(spec, value))
      list.addInvalid(UNFITTING, { value: selector.value, as: 'core.ScopeSelector' });
    validateOperator(requirement);
  }
  const scopes = expressions.map((expression) => expression.text('scopeName'));
  validateConflicts(spec, scopes, list);
}

const MUST_EXIST =
  "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, " +
  'ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity';
const NEEDS_VALUES = "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector";
const TAKES_NONE = "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector";

function validateOperator(requirement: Field<corev1.ScopedResourceSelectorRequirement>): void {
  const [operator, values] = [requirement.at('operator'), requirement.at('values')];
  const value = operator.asText;
  const [listed, bare] = [['In', 'NotIn'].includes(value), ['Exists', 'DoesNotExist'].includes(value)];
  const isEmpty = requirement.count('values') === 0;
  if (ALWAYS_EXIST.includes(requirement.text('scopeName')) && value !== 'Exists')
    operator.addInvalid(MUST_EXIST, { value });
  if (listed && isEmpty) values.addRequired(NEEDS_VALUES);
  else if (bare && !isEmpty) values.addInvalid(TAKES_NONE);
  else if (!listed && !bare) operator.addInvalid('not a valid selector operator', { value });
}

/** Requests above limits: the two are mixed up. */
function warningsOf(hard: JsonObject): readonly string[] {
  return ['cpu', 'memory', 'storage', 'ephemeral-storage'].flatMap((name) => {
    const names = name === 'cpu' || name === 'memory' ? [`requests.${name}`, name] : [`requests.${name}`];
    const requested = names.find((one) => maybeString(hard, one) !== undefined) ?? '';
    const [request, limit] = [maybeString(hard, requested), maybeString(hard, `limits.${name}`)];
    if (request === undefined || limit === undefined || compareQuantity(request, limit) <= 0) return [];
    return [`ResourceQuota ${requested} (${request}) should be less than limits.${name} (${limit})`];
  });
}
