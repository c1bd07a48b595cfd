import type { KubeObject } from '@kubewright/kube';
import type { Strategy } from '../../model/resource-definition.ts';
import { type Errors, forbidden, invalid, nameIsDnsSubdomain } from '../../validation/errors.ts';
import { validateObjectMeta, validateObjectMetaUpdate } from '../../validation/validate-object-meta.ts';
import { maybeNumber, specOf, stringAt, has } from '../../objects/read.ts';
import { changeObject, withField } from '../../objects/change-object.ts';

const RULES = { namespaced: true, name: nameIsDnsSubdomain };

/** `coordination.k8s.io/v1 Lease`. */
export const lease: Strategy = {
  prepareForCreate: (object) => dropCoordination(object),
  prepareForUpdate: (object, old) => (isCoordinated(old) ? object : dropCoordination(object)),
  validateCreate: (object) => [...validateObjectMeta(object, RULES), ...validateSpec(object)],
  validateUpdate: (object, old) => [...validateObjectMetaUpdate(object, old), ...validateSpec(object)],
};

/** Coordinated leader election is behind a feature gate that is off. */
function dropCoordination(object: KubeObject): KubeObject {
  const spec = withField(withField(specOf(object), 'strategy', undefined), 'preferredHolder', undefined);
  return changeObject(object, (body) => (isCoordinated(object) ? withField(body, 'spec', spec) : body));
}

function isCoordinated(object: KubeObject): boolean {
  return has(specOf(object), 'strategy') || has(specOf(object), 'preferredHolder');
}

function validateSpec(object: KubeObject): Errors {
  const spec = specOf(object);
  const [seconds, transitions] = [
    maybeNumber(spec, 'leaseDurationSeconds'),
    maybeNumber(spec, 'leaseTransitions'),
  ];
  const unexpected = stringAt(spec, 'preferredHolder') !== '' && stringAt(spec, 'strategy') === '';
  return [
    ...invalid(
      seconds !== undefined && seconds <= 0,
      'spec.leaseDurationSeconds',
      seconds ?? 0,
      'must be greater than 0',
    ),
    ...invalid(
      transitions !== undefined && transitions < 0,
      'spec.leaseTransitions',
      transitions ?? 0,
      'must be greater than or equal to 0',
    ),
    ...forbidden(unexpected, 'spec.preferredHolder', 'may only be specified if `strategy` is defined'),
  ];
}
