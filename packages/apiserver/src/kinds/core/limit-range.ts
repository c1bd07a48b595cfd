import { compareText, type JsonObject, type KubeObject } from '@kubewright/kube';
import { compareQuantity } from '@kubewright/kube/quantity';
import { fieldErrors } from '@kubewright/kube/validation';
import type { Strategy } from '../../model/resource-definition.ts';
import { uuid } from '../../objects/uuid.ts';
import { containerResourceName, isHugePages, isNative, resourceName } from '../../pods/validate-resources.ts';
import {
  type Check,
  type Errors,
  each,
  forbidden,
  invalid,
  nameIsDnsSubdomain,
  NONE,
  qualifiedName,
  required,
} from '../../validation/errors.ts';
import { quantityMillis } from '../../validation/quantities.ts';
import { validateObjectMeta } from '../../validation/validate-object-meta.ts';
import {
  entriesAt,
  maybeString,
  metadataOf,
  objectAt,
  objectsAt,
  specOf,
  stringAt,
} from '../../objects/read.ts';
import {
  changeObject,
  inField,
  inItems,
  inOrder,
  withField,
  type Change,
} from '../../objects/change-object.ts';
import { nameOf } from '../../objects/name-of.ts';

const RULES = { namespaced: true, name: nameIsDnsSubdomain };
const TYPES = ['Container', 'PersistentVolumeClaim', 'Pod'];

/** Of a container, defaults are taken from the maximum, requests from the default or else the minimum. */
const defaultItem: Change = (item) => {
  if (stringAt(item, 'type') !== 'Container') return item;
  return inOrder(
    fill('default', 'max'),
    fill('defaultRequest', 'default'),
    fill('defaultRequest', 'min'),
  )(item);
};

function fill(key: string, from: string): Change {
  return (item) => {
    const before = objectAt(item, key);
    const filled = entriesAt(item, from).reduce(
      (amounts, [name, amount]) =>
        Object.hasOwn(amounts, name) ? amounts : withField(amounts, name, amount),
      before,
    );
    return filled === before ? item : withField(item, key, filled);
  };
}

/** `v1 LimitRange`. One without a name gets one. */
export const limitRange: Strategy = {
  default: (object) => changeObject(object, inField('spec', inItems('limits', defaultItem))),
  prepareForCreate: (object, { random }) => {
    const { generateName = '' } = object.metadata;
    if (nameOf(object) !== '' || generateName !== '') return object;
    const metadata = withField(metadataOf(object), 'name', uuid(random));
    return changeObject(object, (body) => withField(body, 'metadata', metadata));
  },
  validateCreate: validate,
  validateUpdate: validate,
};

function validate(object: KubeObject): Errors {
  const limits = objectsAt(specOf(object), 'limits');
  const seen = new Set<string>();
  return [
    ...validateObjectMeta(object, RULES),
    ...each(limits, 'spec.limits', (limit, path) => {
      const type = stringAt(limit, 'type');
      const again = seen.has(type);
      seen.add(type);
      return [
        ...validateType(type, `${path}.type`),
        ...(again ? [fieldErrors.duplicate(`${path}.type`, type)] : NONE),
        ...validateNames(limit, type, path),
        ...validateAmounts(limit, path),
      ];
    }),
  ];
}

const validateType: Check<string> = (type, path) => {
  const errors = qualifiedName(type, path);
  if (errors.length > 0 || type.includes('/')) return errors;
  return invalid(!TYPES.includes(type), path, type, 'must be a standard limit type or fully qualified');
};

function validateNames(limit: JsonObject, type: string, path: string): Errors {
  const check = type === 'Pod' || type === 'Container' ? containerResourceName : resourceName;
  const names = (key: string): Errors =>
    entriesAt(limit, key).flatMap(([name]) => check(name, `${path}.${key}[${name}]`));
  const forPods = (key: string): Errors =>
    forbidden(
      entriesAt(limit, key).length > 0,
      `${path}.${key}`,
      "may not be specified when `type` is 'Pod'",
    );
  const defaults = type === 'Pod' ? forPods : names;
  return [
    ...names('max'),
    ...names('min'),
    ...defaults('default'),
    ...defaults('defaultRequest'),
    ...(type === 'PersistentVolumeClaim' ? validateStorage(limit, path) : NONE),
    ...names('maxLimitRequestRatio'),
  ];
}

function validateStorage(limit: JsonObject, path: string): Errors {
  const bounded = ['min', 'max'].some((key) => Object.hasOwn(objectAt(limit, key), 'storage'));
  const why = 'either minimum or maximum storage value is required, but neither was provided';
  return required(bounded, `${path}.limits`, why);
}

/** The amounts that a limit names for one resource. */
type Amounts = Readonly<Record<'min' | 'max' | 'byDefault' | 'request' | 'ratio', string | undefined>>;

function validateAmounts(limit: JsonObject, path: string): Errors {
  const isPod = stringAt(limit, 'type') === 'Pod';
  const keys = isPod ? ['max', 'min'] : ['max', 'min', 'default', 'defaultRequest'];
  const names = new Set(keys.flatMap((key) => Object.keys(objectAt(limit, key))));
  return [...names].sort(compareText).flatMap((name) => {
    const at = (key: string): string | undefined => maybeString(objectAt(limit, key), name);
    const amounts = {
      min: at('min'),
      max: at('max'),
      byDefault: isPod ? undefined : at('default'),
      request: isPod ? undefined : at('defaultRequest'),
      ratio: at('maxLimitRequestRatio'),
    };
    return [
      ...validateOrder(amounts, name, path),
      ...validateRatio(amounts, `${path}.maxLimitRequestRatio[${name}]`),
      ...validateFixed(amounts, name, `${path}.defaultRequest[${name}]`),
    ];
  });
}

function validateOrder({ min, max, byDefault, request }: Amounts, name: string, path: string): Errors {
  const ordered = (
    [key, shown]: readonly [string, string | undefined],
    [lowName, low]: readonly [string, string | undefined],
    [highName, high]: readonly [string, string | undefined],
  ): Errors => {
    if (low === undefined || high === undefined || compareQuantity(low, high) <= 0) return NONE;
    const detail = `${lowName} value ${low} is greater than ${highName} value ${high}`;
    return [fieldErrors.invalid(`${path}.${key}[${name}]`, shown ?? '', detail)];
  };
  return [
    ...ordered(['min', min], ['min', min], ['max', max]),
    ...ordered(['defaultRequest', request], ['min', min], ['default request', request]),
    ...ordered(['defaultRequest', request], ['default request', request], ['max', max]),
    ...ordered(['defaultRequest', request], ['default request', request], ['default limit', byDefault]),
    ...ordered(['default', min], ['min', min], ['default', byDefault]),
    ...ordered(['default', max], ['default', byDefault], ['max', max]),
  ];
}

function validateRatio({ min, max, ratio }: Amounts, path: string): Errors {
  if (ratio === undefined) return NONE;
  const tooSmall = invalid(compareQuantity(ratio, '1') < 0, path, ratio, `ratio ${ratio} is less than 1`);
  if (min === undefined || max === undefined) return tooSmall;
  const widest = Number(quantityMillis(max)) / Number(quantityMillis(min));
  const detail = `ratio ${ratio} is greater than max/min = ${shownFloat(widest)}`;
  return [...tooSmall, ...invalid(Number(quantityMillis(ratio)) / 1000 > widest, path, ratio, detail)];
}

/** `%f` of Go. */
function shownFloat(value: number): string {
  if (Number.isFinite(value)) return value.toFixed(6);
  return Number.isNaN(value) ? 'NaN' : `${value > 0 ? '+' : '-'}Inf`;
}

/** Resources that cannot be overcommitted: the limit equals the request. */
function validateFixed({ byDefault, request }: Amounts, name: string, path: string): Errors {
  if ((isNative(name) && !isHugePages(name)) || byDefault === undefined || request === undefined) return NONE;
  const detail = `default value ${byDefault} must equal to defaultRequest value ${request} in ${name}`;
  return invalid(compareQuantity(byDefault, request) !== 0, path, request, detail);
}
