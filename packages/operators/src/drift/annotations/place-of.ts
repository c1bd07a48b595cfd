import type { JsonObject, KubeObject } from '@kubewright/kube';
import type { ObjectPlace } from '../api.ts';
import { textAt } from './read-annotation.ts';

export function placeOf({ apiVersion, kind, metadata }: KubeObject): ObjectPlace {
  return { apiVersion, kind, namespace: metadata.namespace ?? '', name: metadata.name ?? '' };
}

/** The place that JSON from outside names; what it lacks is empty. */
export function placeIn(json: JsonObject): ObjectPlace {
  const part = (key: string): string => textAt(json, key) ?? '';
  return {
    apiVersion: part('apiVersion'),
    kind: part('kind'),
    namespace: part('namespace'),
    name: part('name'),
  };
}

/** None of the four can contain a space. */
export function placeKey({ apiVersion, kind, namespace, name }: ObjectPlace): string {
  return [apiVersion, kind, namespace, name].join(' ');
}

export function placeFrom(key: string): ObjectPlace {
  const [apiVersion = '', kind = '', namespace = '', name = ''] = key.split(' ');
  return { apiVersion, kind, namespace, name };
}
