import type { JsonObject, KubeObject } from '@kubewright/kube';
import type { Strategy } from '../../model/resource-definition.ts';
import {
  type Errors,
  forbidden,
  immutable,
  nameIsDnsSubdomain,
  NONE,
  oneOf,
} from '../../validation/errors.ts';
import { validateObjectMeta, validateObjectMetaUpdate } from '../../validation/validate-object-meta.ts';
import { bodyOf, isTrue, maybeString, numberAt, valueAt } from '../../objects/read.ts';
import { generationOf, withGeneration } from '../../model/status-strategy.ts';
import { changeObject, orDefaultPointer } from '../../objects/change-object.ts';
import { nameOf } from '../../objects/name-of.ts';

const RULES = { namespaced: false, name: nameIsDnsSubdomain };
const SYSTEM = 'system-';
const HIGHEST_OF_USERS = 1_000_000_000;
const SYSTEM_CLASSES: ReadonlyMap<string, number> = new Map([
  ['system-cluster-critical', 2_000_000_000],
  ['system-node-critical', 2_000_001_000],
]);

/** `scheduling.k8s.io/v1 PriorityClass`. */
export const priorityClass: Strategy = {
  default: (object) =>
    changeObject(object, (body) => orDefaultPointer(body, 'preemptionPolicy', 'PreemptLowerPriority')),
  prepareForCreate: (object) => withGeneration(object, 1),
  prepareForUpdate: (object, old) => withGeneration(object, generationOf(old)),
  validateCreate: validate,
  validateUpdate: (object, old) => [
    ...validateObjectMetaUpdate(object, old),
    ...forbidden(
      numberAt(bodyOf(object), 'value') !== numberAt(bodyOf(old), 'value'),
      'value',
      'may not be changed in an update.',
    ),
    ...immutable(
      valueAt(bodyOf(object), 'preemptionPolicy'),
      valueAt(bodyOf(old), 'preemptionPolicy'),
      'preemptionPolicy',
    ),
  ],
};

function validate(object: KubeObject): Errors {
  const body = bodyOf(object);
  const policy = maybeString(body, 'preemptionPolicy');
  return [
    ...validateObjectMeta(object, RULES),
    ...validateValue(nameOf(object), body),
    ...(policy === undefined ? NONE : oneOf(policy, 'preemptionPolicy', ['Never', 'PreemptLowerPriority'])),
  ];
}

function validateValue(name: string, body: JsonObject): Errors {
  const value = numberAt(body, 'value');
  if (name.startsWith(SYSTEM)) {
    const problem = systemProblem(name, value, isTrue(body, 'globalDefault'));
    const text = `priority class names with '${SYSTEM}' prefix are reserved for system use only. error: ${problem}`;
    return forbidden(problem !== undefined, 'metadata.name', text);
  }
  const detail = `maximum allowed value of a user defined priority is ${HIGHEST_OF_USERS}`;
  return forbidden(value > HIGHEST_OF_USERS, 'value', detail);
}

function systemProblem(name: string, value: number, globalDefault: boolean): string | undefined {
  const known = SYSTEM_CLASSES.get(name);
  if (known === undefined) return `${name} is not a known system priority class`;
  if (value !== known) return `value of ${name} PriorityClass must be ${known}`;
  return globalDefault ? `globalDefault of ${name} PriorityClass must be false` : undefined;
}
