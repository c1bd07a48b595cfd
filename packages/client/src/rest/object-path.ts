import { shapeOf } from '@kubewright/kube';
import { ApiError, localError } from '../errors/api-error.ts';
import type { ResourceRef } from './resource-ref.ts';

/** `/api/v1` or `/apis/<group>/<version>`. */
export function groupVersionPath(group: string, version: string): string {
  return group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
}

/** Path of a collection; of all namespaces when a namespaced resource is given none. */
export function collectionPath(ref: ResourceRef, namespace: string | undefined): string {
  const root = groupVersionPath(ref.group, ref.version);
  if (!ref.namespaced || namespace === undefined || namespace === '') return `${root}/${ref.resource}`;
  return `${root}/namespaces/${segment(namespace, NAMESPACES)}/${ref.resource}`;
}

/** Path of an object or of its subresource. */
export function objectPath(
  ref: ResourceRef,
  key: { readonly namespace?: string | undefined; readonly name: string },
  subresource: string | undefined,
): string {
  if (typeof key?.name !== 'string')
    throw localError(
      'InvalidRequest',
      `${typeof key === 'string' ? JSON.stringify(key) : shapeOf(key)} does not name a ${ref.kind}: give { namespace, name }`,
    );
  if (key.name === '') throw localError('InvalidRequest', `a ${ref.kind} needs a name: set metadata.name`);
  const path = `${collectionPath(ref, namespaceOf(ref, key))}/${segment(key.name, ref)}`;
  return subresource === undefined ? path : `${path}/${subresource}`;
}

/** Where an object is created. */
export function creationPath(
  ref: ResourceRef,
  key: { readonly namespace?: string | undefined; readonly name: string },
): string {
  return collectionPath(ref, namespaceOf(ref, key));
}

function namespaceOf(
  ref: ResourceRef,
  { namespace, name }: Parameters<typeof creationPath>[1],
): string | undefined {
  if (!ref.namespaced || (namespace !== undefined && namespace !== '')) return namespace;
  throw localError('InvalidRequest', `${ref.kind} ${name} needs a namespace: set metadata.namespace`);
}

/** Parameters that are set, percent-encoded, with a leading `?`; empty when none is. */
export function queryString(
  parameters: Readonly<Record<string, string | number | boolean | undefined>>,
): string {
  let text = '';
  for (const name in parameters) {
    const value = parameters[name];
    if (value === undefined) continue;
    text += `${text === '' ? '?' : '&'}${name}=${encodeURIComponent(value)}`;
  }
  return text;
}

/** A lone surrogate has no UTF-8. */
const IMPOSSIBLE = /[/%]|\p{Cs}/u;
const NAMESPACES = { group: '', resource: 'namespaces' };

/**
 * A name that would change the path is the name of no object: API servers reject objects with it. The error is that of an object
 * that does not exist, so that callers need no case for it.
 */
function segment(name: string, of: Pick<ResourceRef, 'group' | 'resource'>): string {
  if (!isPossibleName(name)) throw noSuchName(name, of);
  return encodeURIComponent(name);
}

/** Whether an API server can have an object of this name, by the rule that all kinds share. */
export function isPossibleName(name: string): boolean {
  return name !== '' && name !== '.' && name !== '..' && !IMPOSSIBLE.test(name);
}

function noSuchName(name: string, { group, resource }: Pick<ResourceRef, 'group' | 'resource'>): ApiError {
  const title = group === '' ? resource : `${resource}.${group}`;
  const message = `${title} ${JSON.stringify(name)} not found: no object can have this name`;
  const details = { name, group, kind: resource };
  return new ApiError({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message,
    reason: 'NotFound',
    details,
    code: 404,
  });
}
