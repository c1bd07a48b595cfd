import {
  getOwn,
  isJsonArray,
  isJsonObject,
  type Json,
  type JsonObject,
  type KubeObject,
} from '@kubewright/kube';
import { localError } from '../errors/api-error.ts';
import type { ResourceRef } from '../rest/resource-ref.ts';
import type { ObjectList } from './client.ts';
import { storedObject } from '../rest/stored-object.ts';

/**
 * One page of a list. Servers leave `apiVersion` and `kind` out of the items of built-in lists; they are restored, so that
 * a listed object equals a watched one.
 */
export function parseList<T extends KubeObject>(ref: ResourceRef<T>, list: JsonObject): ObjectList<T> {
  const metadata = getOwn(list, 'metadata');
  const items = getOwn(list, 'items') ?? [];
  if (!isJsonObject(metadata) || !isJsonArray(items)) {
    const what = textOf(list, 'kind') || 'an object without kind';
    throw localError('InvalidResponse', `the server sent ${what} in place of a list of ${ref.kind}`);
  }
  const apiVersion = textOf(list, 'apiVersion');
  const kind = textOf(list, 'kind').replace(/List$/, '');
  const next = textOf(metadata, 'continue');
  const remaining = getOwn(metadata, 'remainingItemCount');
  return {
    items: items.map((item) => storedObject(ref, typedItem(item, apiVersion, kind))),
    resourceVersion: textOf(metadata, 'resourceVersion'),
    ...(next === '' ? {} : { continue: next }),
    ...(typeof remaining === 'number' ? { remainingItemCount: remaining } : {}),
  };
}

function typedItem(item: Json, apiVersion: string, kind: string): JsonObject {
  if (!isJsonObject(item))
    throw localError('InvalidResponse', `the server sent a list of ${kind} with an item that is no object`);
  return Object.hasOwn(item, 'kind') ? item : { apiVersion, kind, ...item };
}

function textOf(object: JsonObject, key: string): string {
  const value = getOwn(object, key);
  return typeof value === 'string' ? value : '';
}
