import type { JsonObject } from '@kubewright/kube';
import { fieldErrors } from '@kubewright/kube/validation';
import { type Errors, each, invalid, NONE, oneOf, required } from '../../validation/errors.ts';
import { maybeString, stringsAt } from '../../objects/read.ts';

const OPERATIONS = ['*', 'CONNECT', 'CREATE', 'DELETE', 'UPDATE'];
const SCOPES = ['*', 'Cluster', 'Namespaced'];

/** One rule of a webhook: which operations on which resources it wants to see. */
export function validateRules(rule: JsonObject, path: string): Errors {
  const operations = stringsAt(rule, 'operations');
  const scope = maybeString(rule, 'scope');
  return [
    ...aloneIfAll(rule, 'operations', path, 'operations'),
    ...each(operations, `${path}.operations`, (operation, at) => oneOf(operation, at, OPERATIONS)),
    ...aloneIfAll(rule, 'apiGroups', path, 'API groups'),
    ...aloneIfAll(rule, 'apiVersions', path, 'API versions'),
    ...each(stringsAt(rule, 'apiVersions'), `${path}.apiVersions`, (version, at) =>
      required(version !== '', at),
    ),
    ...validateResources(stringsAt(rule, 'resources'), `${path}.resources`),
    ...(scope === undefined ? NONE : oneOf(scope, `${path}.scope`, SCOPES)),
  ];
}

/** A list that must not be empty, and where `*` means all others. */
function aloneIfAll(rule: JsonObject, key: string, path: string, what: string): Errors {
  const values = stringsAt(rule, key);
  const mixed = values.length > 1 && values.includes('*');
  return [
    ...required(values.length > 0, `${path}.${key}`),
    ...invalid(mixed, `${path}.${key}`, values, `if '*' is present, must not specify other ${what}`),
  ];
}

function validateResources(resources: readonly string[], path: string): Errors {
  const mixed = resources.length > 1 && resources.includes('*/*');
  return [
    ...required(resources.length > 0, path),
    ...overlaps(resources, path),
    ...invalid(mixed, path, resources, "if '*/*' is present, must not specify other resources"),
    ...invalid(
      resources.includes('*') && lastPlainIsNamed(resources),
      path,
      resources,
      "if '*' is present, must not specify other resources without subresources",
    ),
  ];
}

/** Only the last resource without a subresource counts: so it is upstream. */
function lastPlainIsNamed(resources: readonly string[]): boolean {
  const last = resources.findLast((resource) => resource !== '' && !resource.includes('/'));
  return last !== undefined && last !== '*';
}

/** `pods/*` covers a later `pods/status`. */
function overlaps(resources: readonly string[], path: string): Errors {
  const allOf = new Set<string>();
  const ofAll = new Set<string>();
  return each(resources, path, (text, at) => {
    if (text === '') return [fieldErrors.required(at, '')];
    const [, resource, subresource] = /^([^/]*)\/(.*)$/s.exec(text) ?? [];
    if (resource === undefined || subresource === undefined) return NONE;
    const errors = [
      ...invalid(allOf.has(resource), at, text, `if '${resource}/*' is present, must not specify ${text}`),
      ...invalid(
        ofAll.has(subresource),
        at,
        text,
        `if '*/${subresource}' is present, must not specify ${text}`,
      ),
    ];
    if (subresource === '*') allOf.add(resource);
    if (resource === '*') ofAll.add(subresource);
    return errors;
  });
}
