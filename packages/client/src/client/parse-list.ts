import {
  getOwn,
  isJsonArray,
  isJsonObject,
  type Json,
  type JsonObject,
  type KubeObject,
} from '@kubewright/kube';
import { localError } from '../errors/api-error.ts';
import type { ObjectList } from './client.ts';

/**
 * One page of a list. Servers leave `apiVersion` and `kind` out of the items of built-in lists; they are put back,
 * so that a listed object looks like a watched one.
 */
export function parseList<T extends KubeObject>(list: JsonObject): ObjectList<T> {
  const metadata = getOwn(list, 'metadata');
  const items = getOwn(list, 'items') ?? [];
  if (!isJsonObject(metadata) || !isJsonArray(items)) {
    throw localError('InvalidResponse', 'the server answered a list with something else');
  }
  const apiVersion = textOf(list, 'apiVersion');
  const kind = textOf(list, 'kind').replace(/List$/, '');
  const next = textOf(metadata, 'continue');
  const remaining = getOwn(metadata, 'remainingItemCount');
  return {
    items: items.map((item) => typedItem(item, apiVersion, kind) as T),
    resourceVersion: textOf(metadata, 'resourceVersion'),
    ...(next === '' ? {} : { continue: next }),
    ...(typeof remaining === 'number' ? { remainingItemCount: remaining } : {}),
  };
}

function typedItem(item: Json, apiVersion: string, kind: string): KubeObject {
  if (!isJsonObject(item) || !isJsonObject(getOwn(item, 'metadata'))) {
    throw localError('InvalidResponse', 'a list item without metadata');
  }
  if (Object.hasOwn(item, 'kind')) return item as KubeObject;
  return { apiVersion, kind, ...item } as KubeObject;
}

function textOf(object: JsonObject, key: string): string {
  const value = getOwn(object, key);
  return typeof value === 'string' ? value : '';
}
