import type { corev1, KubeObject } from '@kubewright/kube';
import { fieldErrors, isQualifiedName, isValidLabelValue } from '@kubewright/kube/validation';
import type { Strategy } from '../../model/resource-definition.ts';
import { type Errors, nameIsDnsSubdomain } from '../../validation/errors.ts';
import { Field } from '../../validation/field.ts';
import { repeats } from '../../validation/repeats.ts';
import { objectErrors } from '../../validation/spec-errors.ts';
import { validateObjectMeta, validateObjectMetaUpdate } from '../../validation/validate-object-meta.ts';
import {
  bodyOf,
  entriesAt,
  has,
  objectAt,
  objectsAt,
  specOf,
  statusOf,
  stringAt,
} from '../../objects/read.ts';
import { showing } from '../../validation/shown-as.ts';
import { isNegative } from '../../validation/quantities.ts';
import { keepOld, SPEC_RESET, STATUS_RESET } from '../../model/status-strategy.ts';
import {
  type Change,
  changeObject,
  inField,
  inOrder,
  orDefaultPointer,
  withField,
} from '../../objects/change-object.ts';

const RULES = { namespaced: false, name: nameIsDnsSubdomain };
const EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'] as const;

/** The removed way to configure kubelets through the API. */
const withoutConfig = inOrder(
  inField('spec', (spec) => withField(spec, 'configSource', undefined)),
  inField('status', (status) => withField(status, 'config', undefined)),
);

/** `v1 Node`. A new one may bring its status along. */
export const node: Strategy = {
  default: (object) =>
    changeObject(object, (body) =>
      has(statusOf(object), 'capacity') ? inField('status', allocatable)(body) : body,
    ),
  prepareForCreate: (object) => changeObject(object, inOrder(withoutConfig, inField('spec', untilReady))),
  prepareForUpdate: (object, old) => changeObject(keepOld(object, old, 'status'), withoutConfig),
  validateCreate: (object) => [...validateObjectMeta(object, RULES), ...objectErrors(validate, object)],
  validateUpdate: (object, old) => [
    ...validateObjectMeta(object, RULES),
    ...objectErrors(validate, object),
    ...changeErrors(object, old),
  ],
  resetFields: STATUS_RESET,
  warnings: (object) => {
    const warns = stringAt(specOf(object), 'externalID') !== '';
    return warns ? ['spec.externalID: this field is deprecated, and is unused by Kubernetes'] : [];
  },
};

export const nodeStatus: Strategy = {
  prepareForUpdate: (object, old) => keepOld(object, old, 'spec'),
  validateUpdate: changeErrors,
  resetFields: SPEC_RESET,
};

const NOT_READY = { effect: 'NoSchedule', key: 'node.kubernetes.io/not-ready' };

/** A new node is tainted until it is ready (the admission plugin `TaintNodesByCondition`). */
const untilReady: Change = (spec) => {
  const taints = objectsAt(spec, 'taints');
  const known = taints.some(
    (taint) => stringAt(taint, 'key') === NOT_READY.key && stringAt(taint, 'effect') === NOT_READY.effect,
  );
  return known ? spec : withField(spec, 'taints', [...taints, NOT_READY]);
};

const allocatable: Change = (status) => orDefaultPointer(status, 'allocatable', objectAt(status, 'capacity'));

type Body = Field<corev1.Node>;

function validate(body: Body): void {
  validateTaints(body);
  validateResources(body);
}

function validateResources(body: Body): void {
  for (const key of ['capacity', 'allocatable'] as const) {
    for (const [name, value] of entriesAt(body.at('status').object, key)) {
      const amount = new Field(value, body, `.status.${key}.${name}`);
      for (const message of isQualifiedName(name)) amount.addInvalid(message, { value: name });
      if (isNegative(value)) amount.addInvalid('must be greater than or equal to 0');
    }
  }
}

function validateTaints(body: Body): void {
  const isRepeated = repeats();
  // The path is upstream's.
  const taints = new Field<corev1.NodeSpec>(body.at('spec').value, body, '.metadata').items('taints');
  for (const taint of taints) {
    const faults = isValidLabelValue(taint.text('value'));
    taint.matches('key', isQualifiedName);
    if (faults.length > 0) taint.at('value').addInvalid(faults.join(';'));
    taint.requireOneOf('effect', EFFECTS);
    if (isRepeated(JSON.stringify([taint.text('key'), taint.text('effect')])))
      taint.add(duplicateTaint(taint));
  }
}

function duplicateTaint(taint: Field<corev1.Taint>): Errors {
  const detail = 'taints must be unique by key and effect pair';
  return showing('core.Taint', [{ ...fieldErrors.duplicate(taint.path, taint.object), detail }]);
}

function validateChange(body: Body, old: Body): void {
  const [spec, before] = [body.at('spec'), old.at('spec')];
  const [cidrs, provider] = [before.texts('podCIDRs'), before.text('providerID')];
  validateResources(body);
  validateAddresses(body.at('status').items('addresses'));
  if (cidrs.length > 0 && spec.texts('podCIDRs').join() !== cidrs.join())
    spec.at('podCIDRs').addForbidden('node updates may not change podCIDR except from "" to valid');
  if (provider !== '' && spec.text('providerID') !== provider)
    spec.at('providerID').addForbidden('node updates may not change providerID except from "" to valid');
  validateTaints(body);
  if (spec.text('externalID') !== before.text('externalID'))
    spec.at('externalID').addForbidden('may not be updated');
}

function validateAddresses(addresses: readonly Field<corev1.NodeAddress>[]): void {
  const isRepeated = repeats();
  for (const address of addresses)
    if (isRepeated(JSON.stringify([address.text('type'), address.text('address')])))
      address.addDuplicate(address.object, 'core.NodeAddress');
}

function changeErrors(object: KubeObject, old: KubeObject): Errors {
  return [
    ...validateObjectMetaUpdate(object, old),
    ...objectErrors((body: Body) => validateChange(body, new Field(bodyOf(old))), object),
  ];
}
