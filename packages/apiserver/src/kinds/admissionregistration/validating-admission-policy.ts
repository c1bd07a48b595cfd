import { type admissionregistrationv1, jsonEqual, type KubeObject } from '@kubewright/kube';
import type { Strategy } from '../../model/resource-definition.ts';
import { specStrategy, statusStrategy } from '../../model/status-strategy.ts';
import { changeObject, defaults, inField, inOrder } from '../../objects/change-object.ts';
import { nameOf } from '../../objects/name-of.ts';
import { nameIsDnsSubdomain } from '../../validation/errors.ts';
import { specErrors } from '../../validation/spec-errors.ts';
import { validateObjectMeta } from '../../validation/validate-object-meta.ts';
import { matchResourcesDefaults } from './validate-match-resources.ts';
import { validatePolicySpec } from './validate-policy-spec.ts';
import { reservedNameWarnings } from './reserved-name-warnings.ts';

type Spec = admissionregistrationv1.ValidatingAdmissionPolicySpec;

const RULES = { namespaced: false, name: nameIsDnsSubdomain };

/** `admissionregistration.k8s.io/v1 ValidatingAdmissionPolicy`. */
export const validatingAdmissionPolicy: Strategy = {
  default: (object) =>
    changeObject(
      object,
      inField(
        'spec',
        inOrder(
          defaults<Spec>({ failurePolicy: 'Fail' }),
          inField<Spec>('matchConstraints', matchResourcesDefaults),
        ),
      ),
    ),
  ...specStrategy(),
  validateCreate: (object) => validate(object),
  validateUpdate: (object, old) => validate(object, old),
  warnings: reservedNameWarnings,
};

/** What its controller writes. */
export const validatingAdmissionPolicyStatus: Strategy = statusStrategy(() => []);

function validate(object: KubeObject, old?: KubeObject): ReturnType<Strategy['validateUpdate'] & {}> {
  return [
    ...validateObjectMeta(object, RULES),
    ...specErrors<Spec>(
      (spec, before) => {
        const isKnown =
          before !== undefined &&
          (['paramKind', 'matchConditions'] as const).every((key) =>
            jsonEqual(spec.at(key).value, before.at(key).value),
          );
        validatePolicySpec(spec, { name: nameOf(object) }, isKnown);
      },
      object,
      old,
    ),
  ];
}
