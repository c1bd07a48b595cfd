import { type JsonObject, type KubeObject, getOwn, jsonEqual } from '@kubewright/kube';
import { compareQuantity } from '@kubewright/kube/quantity';
import { fieldErrors } from '@kubewright/kube/validation';
import type { Strategy } from '../../model/resource-definition.ts';
import { checkGrowth, withDefaultClass } from './with-default-class.ts';
import { withProtection } from './with-protection.ts';
import { validateClaimSpec } from '../../pods/validate-claim-spec.ts';
import { defaultClaimSpec } from '../../pods/default-volume.ts';
import {
  type Errors,
  forbidden,
  immutable,
  NONE,
  nameIsDnsSubdomain,
  oneOf,
} from '../../validation/errors.ts';
import { validateObjectMeta, validateObjectMetaUpdate } from '../../validation/validate-object-meta.ts';
import { nonNegativeUnits } from '../../validation/quantities.ts';
import {
  entriesAt,
  has,
  maybeObject,
  maybeString,
  objectAt,
  specOf,
  statusOf,
  stringAt,
  valueAt,
} from '../../objects/read.ts';
import { shownDiff } from '../../validation/shown-diff.ts';
import { keepOld, STATUS_RESET, statusStrategy } from '../../model/status-strategy.ts';
import { type Change, changeObject, inField, orDefault, withField } from '../../objects/change-object.ts';

const RULES = { namespaced: true, name: nameIsDnsSubdomain };

/** `v1 PersistentVolumeClaim`. */
export const persistentVolumeClaim: Strategy = {
  default: (object) =>
    changeObject(object, (body) => {
      const spec = defaultClaimSpec(objectAt(body, 'spec'));
      const status = orDefault(objectAt(body, 'status'), 'phase', 'Pending');
      return withField(withField(body, 'spec', spec), 'status', status);
    }),
  prepareForCreate: (object, context) =>
    changeObject(withProtection(withDefaultClass(object, context), 'kubernetes.io/pvc-protection'), (body) =>
      withField(sources(body), 'status', { phase: 'Pending' }),
    ),
  prepareForUpdate: (object, old) => changeObject(keepOld(object, old, 'status'), sources),
  validateCreate: (object) => [
    ...validateObjectMeta(object, RULES),
    ...validateClaimSpec(specOf(object), 'spec'),
  ],
  validateUpdate: (object, old, context) => {
    const errors = [
      ...validateObjectMetaUpdate(object, old),
      ...validateObjectMeta(object, RULES),
      ...validateClaimSpec(specOf(object), 'spec'),
      ...validateChange(object, old),
    ];
    if (errors.length === 0) checkGrowth(object, old, context);
    return errors;
  },
  resetFields: STATUS_RESET,
};

export const persistentVolumeClaimStatus: Strategy = statusStrategy((object, old) => [
  ...validateObjectMetaUpdate(object, old),
  ...validateStatus(statusOf(object)),
]);

const RESIZE_STATES = [
  'ControllerResizeInProgress',
  'ControllerResizeInfeasible',
  'NodeResizeInProgress',
  'NodeResizeInfeasible',
  'NodeResizePending',
].sort();

function validateStatus(status: JsonObject): Errors {
  return [
    ...entriesAt(status, 'capacity').flatMap(([name, size]) =>
      nonNegativeUnits(size, `status.capacity[${name}]`),
    ),
    ...entriesAt(status, 'allocatedResourceStatuses').flatMap(([name, state]) =>
      oneOf(state, 'status.allocatedResourceStatuses', RESIZE_STATES, name),
    ),
  ];
}

const KNOWN_SOURCES = ['/PersistentVolumeClaim', 'snapshot.storage.k8s.io/VolumeSnapshot'];

/** The old field may name a claim or a snapshot only; anything else in it is dropped. */
const dropUnknownSource: Change = (spec) => {
  const source = maybeObject(spec, 'dataSource');
  if (source === undefined || maybeObject(spec, 'dataSourceRef') !== undefined) return spec;
  const name = `${stringAt(source, 'apiGroup')}/${stringAt(source, 'kind')}`;
  return KNOWN_SOURCES.includes(name) ? spec : withField(spec, 'dataSource', undefined);
};

/** Keeps `dataSource` and `dataSourceRef` equal, where the older one can hold the reference. */
const sources: Change = inField('spec', (given) => {
  const spec = dropUnknownSource(given);
  const [source, reference] = [maybeObject(spec, 'dataSource'), maybeObject(spec, 'dataSourceRef')];
  if (source !== undefined && reference === undefined) return withField(spec, 'dataSourceRef', source);
  if (reference !== undefined && source === undefined && stringAt(reference, 'namespace') === '') {
    return withField(spec, 'dataSource', withField(reference, 'namespace', undefined));
  }
  return spec;
});

function validateChange(object: KubeObject, old: KubeObject): Errors {
  const [spec, before] = [specOf(object), specOf(old)];
  const [size, sizeBefore] = [storage(spec), storage(before)];
  const capacity = maybeString(objectAt(statusOf(old), 'capacity'), 'storage') ?? '0';
  const shrinks = compareQuantity(size, sizeBefore) < 0 && compareQuantity(size, capacity) <= 0;
  return [
    ...validateSpecChange(object, spec, before),
    ...forbidden(shrinks, 'spec.resources.requests.storage', 'field can not be less than status.capacity'),
    ...immutable(valueAt(spec, 'volumeMode'), valueAt(before, 'volumeMode'), 'volumeMode'),
  ];
}

function storage(spec: JsonObject): string {
  return maybeString(objectAt(spec, 'resources', 'requests'), 'storage') ?? '0';
}

function validateSpecChange(object: KubeObject, spec: JsonObject, before: JsonObject): Errors {
  const old =
    stringAt(before, 'volumeName') === ''
      ? withField(before, 'volumeName', getOwn(spec, 'volumeName'))
      : before;
  const now = held(spec, before, stringAt(statusOf(object), 'phase') === 'Bound');
  if (jsonEqual(now, old)) return NONE;
  const only =
    'spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims';
  const diff = shownDiff('core.PersistentVolumeClaimSpec', old, now);
  return [fieldErrors.forbidden('spec', `${only}\n${diff}`)];
}

/** `spec` with what may change as it was: a bound claim may grow, one without a class be given one. */
function held(spec: JsonObject, before: JsonObject, bound: boolean): JsonObject {
  const free = [
    ...(getOwn(before, 'storageClassName') === undefined ? ['storageClassName'] : []),
    ...(bound ? ['volumeAttributesClassName'] : []),
  ];
  const rest = free.reduce((now, key) => withField(now, key, getOwn(before, key)), spec);
  if (!bound || !has(objectAt(spec, 'resources'), 'requests')) return rest;
  const size = getOwn(objectAt(before, 'resources', 'requests'), 'storage');
  return inField(
    'resources',
    inField('requests', (requests) => withField(requests, 'storage', size)),
  )(rest);
}
