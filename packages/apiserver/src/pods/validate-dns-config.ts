import type { JsonObject } from '@kubewright/kube';
import {
  type Errors,
  dnsSubdomain,
  each,
  inside,
  invalid,
  invalidFor,
  NONE,
  required,
} from '../validation/errors.ts';
import { dns1123SubdomainWithUnderscore, ipAddress } from '../validation/formats.ts';
import { byteLength } from '../validation/validate-labels.ts';
import { maybeObject, objectsAt, stringAt, stringsAt } from '../objects/read.ts';

/** `spec.dnsConfig`. `dnsPolicy: None` needs one with a name server. */
export function validateDnsConfig(spec: JsonObject, path: string): Errors {
  const at = `${path}.dnsConfig`;
  const config = maybeObject(spec, 'dnsConfig');
  if (stringAt(spec, 'dnsPolicy') === 'None') {
    if (config === undefined) return required(false, at, 'must provide `dnsConfig` when `dnsPolicy` is None');
    if (stringsAt(config, 'nameservers').length === 0) {
      const detail = 'must provide at least one DNS nameserver when `dnsPolicy` is None';
      return required(false, `${at}.nameservers`, detail);
    }
  }
  return inside(config, (value) => validateConfig(value, at));
}

function validateConfig(config: JsonObject, path: string): Errors {
  const [nameservers, searches] = [stringsAt(config, 'nameservers'), stringsAt(config, 'searches')];
  const tooLong = byteLength(searches.join(' ')) > 2048;
  const limit = (exceeded: boolean, key: string, values: readonly string[], detail: string): Errors =>
    invalid(exceeded, `${path}.${key}`, [...values], detail);
  return [
    ...limit(nameservers.length > 3, 'nameservers', nameservers, 'must not have more than 3 nameservers'),
    ...each(nameservers, `${path}.nameservers`, ipAddress),
    ...limit(searches.length > 32, 'searches', searches, 'must not have more than 32 search paths'),
    ...limit(
      tooLong,
      'searches',
      searches,
      'must not have more than 2048 characters (including spaces) in the search list',
    ),
    ...each(searches, `${path}.searches`, validateSearch),
    ...each(objectsAt(config, 'options'), `${path}.options`, (option, at) =>
      required(stringAt(option, 'name') !== '', at, 'must not be empty'),
    ),
  ];
}

function validateSearch(search: string, path: string): Errors {
  if (search === '.') return NONE;
  const domain = search.endsWith('.') ? search.slice(0, -1) : search;
  return invalidFor(path, domain, dns1123SubdomainWithUnderscore(domain));
}

/** `spec.hostAliases`. */
export function validateHostAliases(spec: JsonObject, path: string): Errors {
  return each(objectsAt(spec, 'hostAliases'), `${path}.hostAliases`, (alias, at) => [
    ...ipAddress(stringAt(alias, 'ip'), `${at}.ip`),
    ...each(stringsAt(alias, 'hostnames'), `${at}.hostnames`, dnsSubdomain),
  ]);
}
