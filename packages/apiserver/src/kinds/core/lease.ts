import type { coordinationv1, KubeObject } from '@kubewright/kube';
import type { Strategy } from '../../model/resource-definition.ts';
import { specValidation } from '../../model/spec-validation.ts';
import { nameIsDnsSubdomain } from '../../validation/errors.ts';
import type { Field } from '../../validation/field.ts';
import { specField } from '../../validation/spec-errors.ts';
import { changeObject, inField, withField } from '../../objects/change-object.ts';

type Spec = coordinationv1.LeaseSpec;

const RULES = { namespaced: true, name: nameIsDnsSubdomain };

/** `coordination.k8s.io/v1 Lease`. */
export const lease: Strategy = {
  prepareForCreate: (object) => dropCoordination(object),
  prepareForUpdate: (object, old) => (isCoordinated(old) ? object : dropCoordination(object)),
  ...specValidation(RULES, validateSpec),
};

/** Coordinated leader election is behind a feature gate that is off. */
function dropCoordination(object: KubeObject): KubeObject {
  if (!isCoordinated(object)) return object;
  const drop = inField('spec', (spec) =>
    withField(withField(spec, 'strategy', undefined), 'preferredHolder', undefined),
  );
  return changeObject(object, drop);
}

function isCoordinated(object: KubeObject): boolean {
  const spec = specField<Spec>(object);
  return spec.has('strategy') || spec.has('preferredHolder');
}

function validateSpec(spec: Field<Spec>): void {
  const value = spec.maybeNumber('leaseDurationSeconds');
  if (value !== undefined && value <= 0)
    spec.at('leaseDurationSeconds').addInvalid('must be greater than 0', { value });
  spec.nonNegative('leaseTransitions');
  if (spec.text('preferredHolder') !== '' && spec.text('strategy') === '')
    spec.at('preferredHolder').addForbidden('may only be specified if `strategy` is defined');
}
