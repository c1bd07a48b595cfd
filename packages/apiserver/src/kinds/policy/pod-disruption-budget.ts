import type { policyv1 } from '@kubewright/kube';
import type { Strategy } from '../../model/resource-definition.ts';
import { validateAmount, validateNotMoreThanAll } from '../apps/validate-rolling-update.ts';
import type { Field } from '../../validation/field.ts';
import { specErrors, statusErrors } from '../../validation/spec-errors.ts';
import { validateLabelSelector } from '../../validation/validate-labels.ts';
import { validateObjectMetaUpdate } from '../../validation/validate-object-meta.ts';
import { specStrategy, statusStrategy } from '../../model/status-strategy.ts';

const NO_STATUS = { currentHealthy: 0, desiredHealthy: 0, disruptionsAllowed: 0, expectedPods: 0 };

/** `policy/v1 PodDisruptionBudget`. Its metadata is checked as every object's is. */
export const podDisruptionBudget: Strategy = {
  ...specStrategy(NO_STATUS),
  validateCreate: (object) => specErrors(validateSpec, object),
  validateUpdate: (object) => specErrors(validateSpec, object),
};

export const podDisruptionBudgetStatus: Strategy = statusStrategy((object, old) => [
  ...validateObjectMetaUpdate(object, old),
  ...statusErrors(validateStatus, object, old),
]);

function validateStatus(status: Field<policyv1.PodDisruptionBudgetStatus>): void {
  status.nonNegative('disruptionsAllowed', 'currentHealthy', 'desiredHealthy', 'expectedPods');
}

function validateSpec(spec: Field<policyv1.PodDisruptionBudgetSpec>): void {
  if (spec.has('minAvailable') && spec.has('maxUnavailable')) {
    const detail = 'minAvailable and maxUnavailable cannot be both set';
    spec.addInvalid(detail, { as: 'policy.PodDisruptionBudgetSpec' });
  }
  for (const key of ['minAvailable', 'maxUnavailable'] as const) {
    validateAmount(spec.at(key));
    validateNotMoreThanAll(spec.at(key));
  }
  spec.maybeAt('selector')?.check(validateLabelSelector);
  if (spec.maybeText('unhealthyPodEvictionPolicy') !== undefined)
    spec.oneOf('unhealthyPodEvictionPolicy', ['AlwaysAllow', 'IfHealthyBudget']);
}
