import { compareText, type JsonObject } from '@kubewright/kube';
import { compareQuantity } from '@kubewright/kube/quantity';
import { type FieldError, fieldErrors, isQualifiedName } from '@kubewright/kube/validation';
import {
  type Check,
  dnsLabel,
  type Errors,
  each,
  forbidden,
  invalid,
  invalidFor,
  NONE,
  required,
} from '../validation/errors.ts';
import { isNegative, isWhole, quantityMillis } from '../validation/quantities.ts';
import { entriesAt, objectAt, objectsAt, sortedEntries, stringAt } from '../objects/read.ts';

/** `resources` of a container; `claims` are the names of the pod's resource claims. */
export function validateContainerResources(
  container: JsonObject,
  claims: readonly string[],
  path: string,
): Errors {
  return validateResources(objectAt(container, 'resources'), claims, path, containerResourceName);
}

export function validateResources(
  resources: JsonObject,
  claims: readonly string[],
  path: string,
  name: Check<string>,
): Errors {
  const names = [...entriesAt(resources, 'limits'), ...entriesAt(resources, 'requests')].map(([key]) => key);
  const hugeOnly = names.some(isHugePages) && !names.some((key) => key === 'cpu' || key === 'memory');
  return [
    ...entriesAt(resources, 'limits').flatMap(([key, amount]) =>
      validateAmount(key, amount, `${path}.limits`, name),
    ),
    ...entriesAt(resources, 'requests').flatMap(([key, amount]) => [
      ...validateNameAndAmount(key, amount, `${path}.requests[${key}]`, name),
      ...validateAgainstLimit(resources, key, amount, path),
      ...validateHugePages(key, amount, `${path}.requests[${key}]`),
    ]),
    ...forbidden(hugeOnly, path, 'HugePages require cpu or memory'),
    ...validateClaims(resources, claims, `${path}.claims`),
  ];
}

function validateAmount(key: string, amount: string, path: string, name: Check<string>): Errors {
  const at = `${path}[${key}]`;
  return [...validateNameAndAmount(key, amount, at, name), ...validateHugePages(key, amount, at)];
}

function validateNameAndAmount(key: string, amount: string, path: string, name: Check<string>): Errors {
  return [...name(key, path), ...validateResourceAmount(key, amount, path)];
}

/** `ValidateResourceQuantityValue`: never negative; an integer where the resource cannot be divided. */
function validateResourceAmount(key: string, amount: string, path: string): Errors {
  return [
    ...invalid(isNegative(amount), path, amount, 'must be greater than or equal to 0'),
    ...invalid(isIntegerResource(key) && !isWhole(amount), path, amount, 'must be an integer'),
  ];
}

function validateAgainstLimit(resources: JsonObject, key: string, amount: string, path: string): Errors {
  const limits = objectAt(resources, 'limits');
  const overcommit = isNative(key) && !isHugePages(key);
  if (!Object.hasOwn(limits, key)) {
    return required(overcommit, `${path}.limits`, 'Limit must be set for non overcommitable resources');
  }
  const limit = stringAt(limits, key);
  const order = compareQuantity(amount, limit);
  if (order !== 0 && !overcommit) {
    return invalidFor(`${path}.requests`, amount, [`must be equal to ${key} limit of ${limit}`]);
  }
  return invalid(
    order > 0,
    `${path}.requests`,
    amount,
    `must be less than or equal to ${key} limit of ${limit}`,
  );
}

function validateHugePages(key: string, amount: string, path: string): Errors {
  if (!isHugePages(key)) return NONE;
  return invalid(
    !isDivisible(key, amount),
    path,
    amount,
    `${amount} is not positive integer multiple of ${key}`,
  );
}

function isDivisible(key: string, amount: string): boolean {
  const size = key.slice('hugepages-'.length);
  if (!/^\d+(\.\d+)?([KMGTPE]i|[kMGTPE])?$/.test(size)) return false;
  const page = quantityMillis(size);
  return page > 0n && page % 1000n === 0n && quantityMillis(amount) % page === 0n;
}

export function isHugePages(name: string): boolean {
  return name.startsWith('hugepages-');
}

/** In the `kubernetes.io` name space, which names without a domain are. */
export function isNative(name: string): boolean {
  return !name.includes('/') || name.includes('kubernetes.io/');
}

const STANDARD = [
  'cpu',
  'memory',
  'ephemeral-storage',
  'requests.cpu',
  'requests.memory',
  'requests.ephemeral-storage',
  'limits.cpu',
  'limits.memory',
  'limits.ephemeral-storage',
  'pods',
  'resourcequotas',
  'services',
  'replicationcontrollers',
  'secrets',
  'configmaps',
  'persistentvolumeclaims',
  'storage',
  'requests.storage',
  'services.nodeports',
  'services.loadbalancers',
];
const COUNTED = STANDARD.filter((name) => !/cpu|memory|storage/.test(name));

function isIntegerResource(name: string): boolean {
  return COUNTED.includes(name) || isExtended(name);
}

export function isExtended(name: string): boolean {
  return !isNative(name) && !name.startsWith('requests.') && isQualifiedName(`requests.${name}`).length === 0;
}

/** `validateResourceName`: the first problem only, then what the caller adds. */
export function resourceName(name: string, path: string): Errors {
  const messages = isQualifiedName(name);
  if (messages.length > 0) return invalidFor(path, name, messages);
  const standard =
    name.includes('/') ||
    STANDARD.includes(name) ||
    isHugePages(name) ||
    name.startsWith('requests.hugepages-');
  return invalid(!standard, path, name, 'must be a standard resource type or fully qualified');
}

/** What a quota can limit under a name without a domain. */
export function isStandardQuotaName(name: string): boolean {
  if (isHugePages(name) || name.startsWith('requests.hugepages-')) return true;
  return STANDARD.includes(name) && name !== 'storage';
}

/** The amounts of a quota by name, at `path`. */
export function validateQuotaAmounts(amounts: JsonObject, path: string): Errors {
  return sortedEntries(amounts).flatMap(([name, amount]) => {
    const at = `${path}[${name}]`;
    const unknown = !name.includes('/') && !isStandardQuotaName(name);
    return [
      ...resourceName(name, at),
      ...invalid(unknown, at, name, 'must be a standard resource for quota'),
      ...validateResourceAmount(name, typeof amount === 'string' ? amount : '0', at),
    ];
  });
}

export const containerResourceName: Check<string> = (name, path) => {
  const errors = resourceName(name, path);
  if (name.split('/').length === 1) {
    const standard = ['cpu', 'memory', 'ephemeral-storage'].includes(name) || isHugePages(name);
    return [...errors, ...invalid(!standard, path, name, 'must be a standard resource for containers')];
  }
  const unusable = !isNative(name) && !isExtended(name);
  return [...errors, ...invalid(unusable, path, name, "doesn't follow extended resource name standard")];
};

/** `resources.claims`: each names a claim of the pod, no request of a claim twice. */
function validateClaims(resources: JsonObject, claims: readonly string[], path: string): Errors {
  const seen = new Set<string>();
  return each(objectsAt(resources, 'claims'), path, (claim, at) => {
    const name = stringAt(claim, 'name');
    if (name === '') return required(false, at);
    return [...validateClaimKey(claim, name, seen, at), ...validateClaimName(name, claims, at)];
  });
}

function validateClaimKey(claim: JsonObject, name: string, seen: Set<string>, path: string): Errors {
  if (seen.has(name)) return [fieldErrors.duplicate(path, name)];
  const request = stringAt(claim, 'request');
  const key = request === '' ? name : `${name}/${request}`;
  const errors: FieldError[] = request === '' ? [] : [...dnsLabel(request, `${path}.request`)];
  if (seen.has(key)) errors.push(fieldErrors.duplicate(path, key));
  else if (request === '') {
    for (const other of seen) {
      if (other.startsWith(`${name}/`)) errors.push(fieldErrors.duplicate(path, name));
    }
  }
  seen.add(key);
  return errors;
}

function validateClaimName(name: string, claims: readonly string[], path: string): Errors {
  if (claims.includes(name)) return NONE;
  const rest = claims.length === 0 ? ' which is empty' : `: ${[...claims].sort(compareText).join(', ')}`;
  return [
    {
      ...fieldErrors.notFound(path, name),
      detail: `must be one of the names in pod.spec.resourceClaims${rest}`,
    },
  ];
}
