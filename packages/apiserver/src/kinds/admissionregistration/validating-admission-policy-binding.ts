import type { admissionregistrationv1, KubeObject } from '@kubewright/kube';
import type { Strategy } from '../../model/resource-definition.ts';
import { generationOfChanges } from '../../model/status-strategy.ts';
import { changeObject, inField } from '../../objects/change-object.ts';
import { type Errors, nameIsDnsSubdomain } from '../../validation/errors.ts';
import type { Field } from '../../validation/field.ts';
import { repeats } from '../../validation/repeats.ts';
import { specErrors } from '../../validation/spec-errors.ts';
import { validateObjectMeta } from '../../validation/validate-object-meta.ts';
import { matchResourcesDefaults, validateMatchResources } from './validate-match-resources.ts';
import { validateParamRef } from './validate-param-kind.ts';
import { reservedNameWarnings } from './reserved-name-warnings.ts';

type Spec = admissionregistrationv1.ValidatingAdmissionPolicyBindingSpec;

const RULES = { namespaced: false, name: nameIsDnsSubdomain };
const ACTIONS = ['Audit', 'Deny', 'Warn'];
const TWICE =
  'must not contain both Deny and Warn (repeating the same validation failure information in the API response and ' +
  'headers serves no purpose)';

/** `admissionregistration.k8s.io/v1 ValidatingAdmissionPolicyBinding`. */
export const validatingAdmissionPolicyBinding: Strategy = {
  default: (object) =>
    changeObject(object, inField('spec', inField<Spec>('matchResources', matchResourcesDefaults))),
  ...generationOfChanges(),
  validateCreate: validate,
  validateUpdate: validate,
  warnings: reservedNameWarnings,
};

function validate(object: KubeObject): Errors {
  return [...validateObjectMeta(object, RULES), ...specErrors<Spec>(validateSpec, object)];
}

function validateSpec(spec: Field<Spec>): void {
  const policyName = spec.at('policyName');
  if (policyName.asText === '') policyName.addRequired('');
  else policyName.mustMatch((text) => nameIsDnsSubdomain(text, false));
  const [paramRef, resources] = [spec.maybeAt('paramRef'), spec.maybeAt('matchResources')];
  if (paramRef !== undefined) validateParamRef(paramRef);
  if (resources !== undefined) validateMatchResources(resources);
  validateActions(spec);
}

function validateActions(spec: Field<Spec>): void {
  const isRepeated = repeats();
  const [list, value] = [spec.at('validationActions'), spec.texts('validationActions')];
  for (const action of spec.items('validationActions')) {
    (action as Field<string>).mustBeOneOf(ACTIONS);
    action.mustBeNew(isRepeated);
  }
  if (value.includes('Deny') && value.includes('Warn')) list.addInvalid(TWICE, { value });
  if (value.length === 0) list.addRequired('at least one validation action is required');
}
