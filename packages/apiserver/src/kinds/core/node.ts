import type { JsonObject, KubeObject } from '@kubewright/kube';
import { fieldErrors, isValidLabelValue } from '@kubewright/kube/validation';
import type { Strategy } from '../../model/resource-definition.ts';
import {
  type Errors,
  each,
  forbidden,
  invalidFor,
  nameIsDnsSubdomain,
  NONE,
  requiredOneOf,
} from '../../validation/errors.ts';
import { validateLabelName } from '../../validation/validate-labels.ts';
import { validateObjectMeta, validateObjectMetaUpdate } from '../../validation/validate-object-meta.ts';
import {
  entriesAt,
  has,
  objectAt,
  objectsAt,
  specOf,
  statusOf,
  stringAt,
  stringsAt,
} from '../../objects/read.ts';
import { showing } from '../../validation/shown-as.ts';
import { isNegative } from '../../validation/quantities.ts';
import { keepOld, SPEC_RESET, STATUS_RESET } from '../../model/status-strategy.ts';
import {
  type Change,
  changeObject,
  inField,
  orDefaultPointer,
  withField,
} from '../../objects/change-object.ts';

const RULES = { namespaced: false, name: nameIsDnsSubdomain };
const EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];

/** The removed way to configure kubelets through the API. */
const withoutConfig: Change = (body) =>
  inField('status', (status) => withField(status, 'config', undefined))(
    inField('spec', (spec) => withField(spec, 'configSource', undefined))(body),
  );

/** `v1 Node`. A new one may bring its status along. */
export const node: Strategy = {
  default: (object) =>
    changeObject(object, (body) =>
      has(statusOf(object), 'capacity') ? inField('status', allocatable)(body) : body,
    ),
  prepareForCreate: (object) =>
    changeObject(changeObject(object, withoutConfig), inField('spec', untilReady)),
  prepareForUpdate: (object, old) => changeObject(keepOld(object, old, 'status'), withoutConfig),
  validateCreate: validateNode,
  validateUpdate: (object, old) => [...validateNode(object), ...validateChange(object, old)],
  resetFields: STATUS_RESET,
  warnings: (object) => {
    const warns = stringAt(specOf(object), 'externalID') !== '';
    return warns ? ['spec.externalID: this field is deprecated, and is unused by Kubernetes'] : [];
  },
};

export const nodeStatus: Strategy = {
  prepareForUpdate: (object, old) => keepOld(object, old, 'spec'),
  validateUpdate: validateChange,
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

function validateNode(object: KubeObject): Errors {
  return [...validateObjectMeta(object, RULES), ...validateTaints(object), ...validateResources(object)];
}

function validateResources(object: KubeObject): Errors {
  return ['capacity', 'allocatable'].flatMap((key) =>
    entriesAt(statusOf(object), key).flatMap(([name, value]) => [
      ...validateLabelName(name, `status.${key}.${name}`),
      ...(isNegative(value)
        ? [fieldErrors.invalid(`status.${key}.${name}`, value, 'must be greater than or equal to 0')]
        : NONE),
    ]),
  );
}

/** The path is upstream's. */
function validateTaints(object: KubeObject): Errors {
  const seen = new Set<string>();
  return each(objectsAt(specOf(object), 'taints'), 'metadata.taints', (taint, path) => {
    const identity = JSON.stringify([stringAt(taint, 'key'), stringAt(taint, 'effect')]);
    const duplicate = seen.has(identity);
    seen.add(identity);
    return [...validateTaint(taint, path), ...(duplicate ? duplicateTaint(taint, path) : NONE)];
  });
}

function duplicateTaint(taint: JsonObject, path: string): Errors {
  const detail = 'taints must be unique by key and effect pair';
  return showing('core.Taint', [{ ...fieldErrors.duplicate(path, taint), detail }]);
}

function validateTaint(taint: JsonObject, path: string): Errors {
  const value = stringAt(taint, 'value');
  const faults = isValidLabelValue(value);
  return [
    ...validateLabelName(stringAt(taint, 'key'), `${path}.key`),
    ...(faults.length === 0 ? NONE : invalidFor(`${path}.value`, value, [faults.join(';')])),
    ...requiredOneOf(stringAt(taint, 'effect'), `${path}.effect`, EFFECTS),
  ];
}

function validateChange(object: KubeObject, old: KubeObject): Errors {
  const [spec, before] = [specOf(object), specOf(old)];
  const [cidrs, cidrsBefore] = [stringsAt(spec, 'podCIDRs'), stringsAt(before, 'podCIDRs')];
  const [provider, providerBefore] = [stringAt(spec, 'providerID'), stringAt(before, 'providerID')];
  return [
    ...validateObjectMetaUpdate(object, old),
    ...validateResources(object),
    ...validateAddresses(object),
    ...forbidden(
      cidrsBefore.length > 0 && cidrs.join() !== cidrsBefore.join(),
      'spec.podCIDRs',
      'node updates may not change podCIDR except from "" to valid',
    ),
    ...forbidden(
      providerBefore !== '' && provider !== providerBefore,
      'spec.providerID',
      'node updates may not change providerID except from "" to valid',
    ),
    ...validateTaints(object),
    ...forbidden(
      stringAt(spec, 'externalID') !== stringAt(before, 'externalID'),
      'spec.externalID',
      'may not be updated',
    ),
  ];
}

function validateAddresses(object: KubeObject): Errors {
  const seen = new Set<string>();
  return each(objectsAt(statusOf(object), 'addresses'), 'status.addresses', (address, path) => {
    const identity = JSON.stringify([stringAt(address, 'type'), stringAt(address, 'address')]);
    const known = seen.has(identity);
    seen.add(identity);
    return known ? showing('core.NodeAddress', [fieldErrors.duplicate(path, address)]) : NONE;
  });
}
