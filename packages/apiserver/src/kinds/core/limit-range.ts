import { compareText, type corev1, type KubeObject } from '@kubewright/kube';
import { compareQuantity } from '@kubewright/kube/quantity';
import { isQualifiedName } from '@kubewright/kube/validation';
import type { Strategy } from '../../model/resource-definition.ts';
import { uuid } from '../../objects/uuid.ts';
import { containerResourceName, isHugePages, isNative, resourceName } from '../../pods/validate-resources.ts';
import { type Errors, nameIsDnsSubdomain } from '../../validation/errors.ts';
import type { Field } from '../../validation/field.ts';
import { quantityMillis } from '../../validation/quantities.ts';
import { repeats } from '../../validation/repeats.ts';
import { specErrors } from '../../validation/spec-errors.ts';
import { validateObjectMeta } from '../../validation/validate-object-meta.ts';
import { entriesAt, maybeString, metadataOf, objectAt, stringAt } from '../../objects/read.ts';
import {
  type Change,
  changeObject,
  inField,
  inItems,
  inOrder,
  withField,
} from '../../objects/change-object.ts';
import { nameOf } from '../../objects/name-of.ts';

const RULES = { namespaced: true, name: nameIsDnsSubdomain };
const TYPES = ['Container', 'PersistentVolumeClaim', 'Pod'];
const DEFAULTS = ['default', 'defaultRequest'] as const;

type Limit = Field<corev1.LimitRangeItem>;

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
  validateCreate: (object) => validate(object),
  validateUpdate: (object) => validate(object),
};

function validate(object: KubeObject): Errors {
  return [...validateObjectMeta(object, RULES), ...specErrors(validateSpec, object)];
}

function validateSpec(spec: Field<corev1.LimitRangeSpec>): void {
  const isRepeated = repeats();
  for (const limit of spec.items('limits')) {
    limit.at('type').mustMatch(typeFaults);
    limit.at('type').mustBeNew(isRepeated);
    validateNames(limit);
    validateAmounts(limit);
  }
}

function typeFaults(type: string): readonly string[] {
  const faults = isQualifiedName(type);
  if (faults.length > 0 || type.includes('/') || TYPES.includes(type)) return faults;
  return ['must be a standard limit type or fully qualified'];
}

function validateNames(limit: Limit): void {
  const isPod = limit.is('type', 'Pod');
  const check = isPod || limit.is('type', 'Container') ? containerResourceName : resourceName;
  const names = (key: 'max' | 'min' | 'default' | 'defaultRequest' | 'maxLimitRequestRatio'): void => {
    for (const [name] of entriesAt(limit.object, key))
      limit.add(check(name, `${limit.at(key).path}[${name}]`));
  };
  names('max');
  names('min');
  for (const key of DEFAULTS) {
    if (!isPod) names(key);
    else if (entriesAt(limit.object, key).length > 0)
      limit.at(key).addForbidden("may not be specified when `type` is 'Pod'");
  }
  if (limit.is('type', 'PersistentVolumeClaim')) validateStorage(limit);
  names('maxLimitRequestRatio');
}

function validateStorage(limit: Limit): void {
  const bounded = ['min', 'max'].some((key) => Object.hasOwn(objectAt(limit.object, key), 'storage'));
  const detail = 'either minimum or maximum storage value is required, but neither was provided';
  if (!bounded) limit.add([{ type: 'Required', field: `${limit.path}.limits`, detail }]);
}

/** The amounts that a limit names for one resource. */
type Amounts = Readonly<Record<'min' | 'max' | 'byDefault' | 'request' | 'ratio', string | undefined>>;

function validateAmounts(limit: Limit): void {
  const isPod = limit.is('type', 'Pod');
  const keys = isPod ? ['max', 'min'] : ['max', 'min', ...DEFAULTS];
  const names = new Set(keys.flatMap((key) => Object.keys(objectAt(limit.object, key))));
  for (const name of [...names].sort(compareText)) {
    const at = (key: string): string | undefined => maybeString(objectAt(limit.object, key), name);
    const amounts = {
      min: at('min'),
      max: at('max'),
      byDefault: isPod ? undefined : at('default'),
      request: isPod ? undefined : at('defaultRequest'),
      ratio: at('maxLimitRequestRatio'),
    };
    validateOrder(limit, amounts, name);
    validateRatio(limit.at('maxLimitRequestRatio').entry(name), amounts);
    validateFixed(limit.at('defaultRequest').entry(name), amounts, name);
  }
}

/** A bound of an order, as messages call it. */
type Bound = readonly [what: string, amount: string | undefined];

function validateOrder(limit: Limit, amounts: Amounts, name: string): void {
  const { min, max, byDefault, request } = amounts;
  const ordered = (
    key: 'min' | 'defaultRequest' | 'default',
    value: string | undefined,
    [lowName, low]: Bound,
    [highName, high]: Bound,
  ): void => {
    if (low === undefined || high === undefined || compareQuantity(low, high) <= 0) return;
    const detail = `${lowName} value ${low} is greater than ${highName} value ${high}`;
    limit
      .at(key)
      .entry(name)
      .addInvalid(detail, { value: value ?? '' });
  };
  ordered('min', min, ['min', min], ['max', max]);
  ordered('defaultRequest', request, ['min', min], ['default request', request]);
  ordered('defaultRequest', request, ['default request', request], ['max', max]);
  ordered('defaultRequest', request, ['default request', request], ['default limit', byDefault]);
  ordered('default', min, ['min', min], ['default', byDefault]);
  ordered('default', max, ['default', byDefault], ['max', max]);
}

function validateRatio<T>(field: Field<T>, { min, max, ratio }: Amounts): void {
  if (ratio === undefined) return;
  if (compareQuantity(ratio, '1') < 0) field.addInvalid(`ratio ${ratio} is less than 1`);
  if (min === undefined || max === undefined) return;
  const widest = Number(quantityMillis(max)) / Number(quantityMillis(min));
  if (Number(quantityMillis(ratio)) / 1000 > widest)
    field.addInvalid(`ratio ${ratio} is greater than max/min = ${shownFloat(widest)}`);
}

/** `%f` of Go. */
function shownFloat(value: number): string {
  if (Number.isFinite(value)) return value.toFixed(6);
  return Number.isNaN(value) ? 'NaN' : `${value > 0 ? '+' : '-'}Inf`;
}

/** Resources that cannot be overcommitted: the limit equals the request. */
function validateFixed<T>(field: Field<T>, { byDefault, request }: Amounts, name: string): void {
  if ((isNative(name) && !isHugePages(name)) || byDefault === undefined || request === undefined) return;
  const detail = `default value ${byDefault} must equal to defaultRequest value ${request} in ${name}`;
  if (compareQuantity(byDefault, request) !== 0) field.addInvalid(detail);
}
