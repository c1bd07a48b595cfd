import type { JsonObject, KubeObject } from '@kubewright/kube';
import type { Strategy } from '../../model/resource-definition.ts';
import { notMoreThanAll, validateAmount } from '../apps/rolling-update.ts';
import { type Errors, invalid, NONE, nonNegative, oneOf } from '../../validation/errors.ts';
import { validateLabelSelector } from '../../validation/validate-labels.ts';
import { validateObjectMetaUpdate } from '../../validation/validate-object-meta.ts';
import { has, maybeObject, maybeString, specOf, statusOf, valueAt } from '../../objects/read.ts';
import { showing } from '../../validation/shown-as.ts';
import {
  changed,
  clearStatus,
  generationOf,
  keepOld,
  STATUS_RESET,
  statusStrategy,
  withGeneration,
} from '../../model/status-strategy.ts';

const NO_STATUS = { currentHealthy: 0, desiredHealthy: 0, disruptionsAllowed: 0, expectedPods: 0 };

/** `policy/v1 PodDisruptionBudget`. Its metadata is checked as every object's is. */
export const podDisruptionBudget: Strategy = {
  prepareForCreate: (object) => withGeneration(clearStatus(NO_STATUS)(object), 1),
  prepareForUpdate: (object, old) => {
    const kept = keepOld(object, old, 'status');
    return changed(kept, old, 'spec') ? withGeneration(kept, generationOf(old) + 1) : kept;
  },
  validateCreate: (object) => validateSpec(specOf(object)),
  validateUpdate: (object) => validateSpec(specOf(object)),
  resetFields: STATUS_RESET,
};

export const podDisruptionBudgetStatus: Strategy = statusStrategy(validateStatus);

const COUNTS = ['disruptionsAllowed', 'currentHealthy', 'desiredHealthy', 'expectedPods'];

function validateStatus(object: KubeObject, old: KubeObject): Errors {
  return [
    ...validateObjectMetaUpdate(object, old),
    ...COUNTS.flatMap((key) => nonNegative(statusOf(object), key, 'status')),
  ];
}

function validateSpec(spec: JsonObject): Errors {
  const both = has(spec, 'minAvailable') && has(spec, 'maxUnavailable');
  const policy = maybeString(spec, 'unhealthyPodEvictionPolicy');
  return [
    ...showing(
      'policy.PodDisruptionBudgetSpec',
      invalid(both, 'spec', spec, 'minAvailable and maxUnavailable cannot be both set'),
    ),
    ...amounts(spec, 'minAvailable'),
    ...amounts(spec, 'maxUnavailable'),
    ...validateLabelSelector(maybeObject(spec, 'selector'), 'spec.selector'),
    ...(policy === undefined
      ? NONE
      : oneOf(policy, 'spec.unhealthyPodEvictionPolicy', ['AlwaysAllow', 'IfHealthyBudget'])),
  ];
}

function amounts(spec: JsonObject, key: string): Errors {
  if (!has(spec, key)) return NONE;
  const value = valueAt(spec, key);
  return [...validateAmount(value, `spec.${key}`), ...notMoreThanAll(value, `spec.${key}`)];
}
