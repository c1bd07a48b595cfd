import { isIP, isIPv4 } from 'node:net';
import { isValidPortName, isValidPortNumber } from '@kubewright/kube/validation';
import { type Check, type Errors, invalid, invalidFor, NONE, rangeMessage } from './errors.ts';

/** Formats that only built-in kinds use. */

/** `IntOrString` as a port: a number in range or an IANA service name. */
export const portNumberOrName: Check<number | string> = (port, path) =>
  invalidFor(path, port, typeof port === 'number' ? isValidPortNumber(port) : isValidPortName(port));

const UNDERSCORE_LABEL = '_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?';
const UNDERSCORE_SUBDOMAIN = `${UNDERSCORE_LABEL}(\\.${UNDERSCORE_LABEL})*`;
const UNDERSCORE_PATTERN = new RegExp(`^${UNDERSCORE_SUBDOMAIN}$`);

export function dns1123SubdomainWithUnderscore(value: string): readonly string[] {
  return [
    ...(value.length > 253 ? ['must be no more than 253 characters'] : []),
    ...(UNDERSCORE_PATTERN.test(value)
      ? []
      : [
          `a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '${UNDERSCORE_SUBDOMAIN}')`,
        ]),
  ];
}

/** Users and groups are 31-bit. */
export function userId(id: number): readonly string[] {
  return id >= 0 && id <= 2_147_483_647 ? [] : [rangeMessage(0, 2_147_483_647)];
}

/** An IP address of a field older than strict validation: canonical form is not required. */
export const ipAddress: Check<string> = (value, path): Errors => {
  if (isIP(value) === 0 || value.includes('%')) {
    if (isIPv4(withoutLeadingZeros(value))) return invalid(true, path, value, 'must not have leading 0s');
    return invalid(true, path, value, 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)');
  }
  return invalid(isMappedIpv4(value), path, value, 'must not be an IPv4-mapped IPv6 address');
};

/** Whether Go's sloppy parser reads an IP address: IPv4 with leading zeros, too. */
export function looksLikeIp(value: string): boolean {
  return (isIP(value) !== 0 && !value.includes('%')) || isIPv4(withoutLeadingZeros(value));
}

function withoutLeadingZeros(value: string): string {
  return value
    .split('.')
    .map((octet) => octet.replace(/^0+(?=\d)/, ''))
    .join('.');
}

function isMappedIpv4(value: string): boolean {
  return (
    /^(0{0,4}:){2,6}ffff:\d+\.\d+\.\d+\.\d+$/i.test(value) ||
    /^(0{0,4}:){2,6}ffff:[0-9a-f]{1,4}:[0-9a-f]{1,4}$/i.test(value)
  );
}

/** Go's `path.Split`-free rule: no element of the path is `..`. */
export const noBacksteps: Check<string> = (value, path): Errors =>
  invalid(value.split('/').includes('..'), path, value, "must not contain '..'");

/** A path that stays below where it is mounted. */
export const localDescendingPath: Check<string> = (value, path): Errors => [
  ...invalid(value.startsWith('/'), path, value, 'must be a relative path'),
  ...noBacksteps(value, path),
];

/** As {@link localDescendingPath}, and not hidden among the files that start with `..`. */
export const localNonReservedPath: Check<string> = (value, path): Errors => [
  ...localDescendingPath(value, path),
  ...(value.startsWith('..') && !value.startsWith('../')
    ? invalid(true, path, value, "must not start with '..'")
    : NONE),
];
