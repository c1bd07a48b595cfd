import type { schedulingv1 } from '@kubewright/kube';
import type { Strategy } from '../../model/resource-definition.ts';
import { nameIsDnsSubdomain } from '../../validation/errors.ts';
import { Field } from '../../validation/field.ts';
import { objectErrors } from '../../validation/spec-errors.ts';
import { validateObjectMeta, validateObjectMetaUpdate } from '../../validation/validate-object-meta.ts';
import { bodyOf } from '../../objects/read.ts';
import { generationOf, withGeneration } from '../../model/status-strategy.ts';
import { changeObject, defaults } from '../../objects/change-object.ts';

type Class = schedulingv1.PriorityClass;

const RULES = { namespaced: false, name: nameIsDnsSubdomain };
const SYSTEM = 'system-';
const HIGHEST_OF_USERS = 1_000_000_000;
const SYSTEM_CLASSES: ReadonlyMap<string, number> = new Map([
  ['system-cluster-critical', 2_000_000_000],
  ['system-node-critical', 2_000_001_000],
]);

/** `scheduling.k8s.io/v1 PriorityClass`. */
export const priorityClass: Strategy = {
  default: (object) => changeObject(object, defaults<Class>({ preemptionPolicy: 'PreemptLowerPriority' })),
  prepareForCreate: (object) => withGeneration(object, 1),
  prepareForUpdate: (object, old) => withGeneration(object, generationOf(old)),
  validateCreate: (object) => [...validateObjectMeta(object, RULES), ...objectErrors(validate, object)],
  validateUpdate: (object, old) => [
    ...validateObjectMetaUpdate(object, old),
    ...objectErrors<Class>((body) => validateChange(body, new Field(bodyOf(old))), object),
  ],
};

function validateChange(body: Field<Class>, old: Field<Class>): void {
  if (body.number('value') !== old.number('value'))
    body.at('value').addForbidden('may not be changed in an update.');
  body.immutable(old, 'preemptionPolicy');
}

function validate(body: Field<Class>): void {
  const [name, value] = [body.at('metadata').at('name'), body.number('value')];
  if (name.asText.startsWith(SYSTEM)) {
    const problem = systemProblem(name.asText, value, body.isTrue('globalDefault'));
    if (problem !== undefined)
      name.addForbidden(
        `priority class names with '${SYSTEM}' prefix are reserved for system use only. error: ${problem}`,
      );
  } else if (value > HIGHEST_OF_USERS) {
    const detail = `maximum allowed value of a user defined priority is ${HIGHEST_OF_USERS}`;
    body.at('value').addForbidden(detail);
  }
  body.oneOfIfSet('preemptionPolicy', ['Never', 'PreemptLowerPriority']);
}

function systemProblem(name: string, value: number, globalDefault: boolean): string | undefined {
  const known = SYSTEM_CLASSES.get(name);
  if (known === undefined) return `${name} is not a known system priority class`;
  if (value !== known) return `value of ${name} PriorityClass must be ${known}`;
  return globalDefault ? `globalDefault of ${name} PriorityClass must be false` : undefined;
}
