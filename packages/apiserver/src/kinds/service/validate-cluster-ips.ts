import type { JsonObject } from '@kubewright/kube';
import { type FieldError, fieldErrors } from '@kubewright/kube/validation';
import { isIPv6 } from 'node:net';
import { type Errors, each, inside, invalid, NONE, oneOf, required } from '../../validation/errors.ts';
import { ipAddress } from '../../validation/formats.ts';
import { maybeString, stringAt, stringsAt } from '../../objects/read.ts';
import { isHeadless, needsClusterIp } from './default-service.ts';

/** `clusterIP`, `clusterIPs`, `ipFamilies` and `ipFamilyPolicy` among each other. */
export function validateClusterIps(spec: JsonObject): Errors {
  if (!needsClusterIp(spec)) return NONE;
  const addresses = stringsAt(spec, 'clusterIPs');
  const format = validateAddresses(addresses);
  const bad = format.some((error) => error.detail !== TOO_MANY);
  return [
    ...validateFirst(stringAt(spec, 'clusterIP'), addresses),
    ...validateFamilies(stringsAt(spec, 'ipFamilies')),
    ...validatePolicy(maybeString(spec, 'ipFamilyPolicy')),
    ...format,
    ...(bad ? NONE : validateStacks(spec, addresses)),
  ];
}

function validateFirst(single: string, addresses: readonly string[]): Errors {
  const at = 'spec.clusterIPs';
  if (single === '') {
    return invalid(
      addresses.length > 0,
      at,
      [...addresses],
      'must be empty when `clusterIP` is not specified',
    );
  }
  if (addresses.length === 0) return required(false, at);
  return invalid(addresses[0] !== single, at, [...addresses], 'first value must match `clusterIP`');
}

function validateFamilies(families: readonly string[]): Errors {
  const seen = new Set<string>();
  return each(families, 'spec.ipFamilies', (family, path) => {
    const errors: FieldError[] = [...oneOf(family, path, ['IPv4', 'IPv6'])];
    if (seen.has(family)) errors.push(fieldErrors.duplicate(path, family));
    seen.add(family);
    return errors;
  });
}

function validatePolicy(policy: string | undefined): Errors {
  if (policy === undefined) return NONE;
  return oneOf(policy, 'spec.ipFamilyPolicy', ['PreferDualStack', 'RequireDualStack', 'SingleStack']);
}

const TOO_MANY = 'may only hold up to 2 values';

function validateAddresses(addresses: readonly string[]): Errors {
  const at = 'spec.clusterIPs';
  const none = addresses[0] === 'None';
  return [
    ...invalid(none && addresses.length > 1, at, [...addresses], "'None' must be the first and only value"),
    ...each(addresses, at, (address, path) =>
      none && path.endsWith('[0]') ? NONE : ipAddress(address, path),
    ),
    ...invalid(addresses.length > 2, at, [...addresses], TOO_MANY),
  ];
}

function validateStacks(spec: JsonObject, addresses: readonly string[]): Errors {
  const sixes = addresses.filter((address) => isIPv6(address)).length;
  const dual = sixes > 0 && sixes < addresses.length;
  const families = stringsAt(spec, 'ipFamilies');
  const one = 'may specify no more than one IP for each IP family';
  return [
    ...invalid(addresses.length > 1 && !dual, 'spec.clusterIPs', [...addresses], one),
    ...inside(isHeadless(spec) ? undefined : spec, () =>
      each(addresses.slice(0, families.length), 'spec.clusterIPs', (address, path) => {
        const index = Number(/\[(\d+)\]$/.exec(path)?.[1]);
        const family = families[index] ?? '';
        const differs = family === 'IPv4' ? isIPv6(address) : family === 'IPv6' && !isIPv6(address);
        return invalid(
          differs,
          path,
          address,
          `expected an ${family} value as indicated by \`ipFamilies[${index}]\``,
        );
      }),
    ),
  ];
}
