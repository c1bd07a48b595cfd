import {
  getOwn,
  isJsonObject,
  type Json,
  type JsonObject,
  jsonEqual,
  type KubeObject,
} from '@kubewright/kube';
import { NOT_SPEC } from '../annotations/spec-hash.ts';

/** The most paths to list, and their greatest depth. */
const MOST = 3;
const DEEPEST = 8;

/** Whether anything but metadata and status differs: the spec, or for example the data of a ConfigMap. */
export function isChanged(old: KubeObject, object: KubeObject): boolean {
  return [...new Set([...Object.keys(old), ...Object.keys(object)])].some(
    (key) => !NOT_SPEC.has(key) && !jsonEqual(getOwn(json(old), key), getOwn(json(object), key)),
  );
}

/** The changed paths, never their values: `spec.replicas, data.color and 2 more`. */
export function changedFields(old: KubeObject, object: KubeObject): string {
  const paths: string[] = [];
  for (const key of new Set([...Object.keys(old), ...Object.keys(object)]))
    if (!NOT_SPEC.has(key)) collect(key, getOwn(json(old), key), getOwn(json(object), key), paths);
  const more = paths.length - MOST;
  return `${paths.slice(0, MOST).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

function collect(path: string, old: Json | undefined, now: Json | undefined, into: string[]): void {
  if (jsonEqual(old, now)) return;
  const isDeep = path.split('.').length >= DEEPEST;
  if (isDeep || !isJsonObject(old) || !isJsonObject(now)) {
    into.push(path);
    return;
  }
  for (const key of new Set([...Object.keys(old), ...Object.keys(now)]))
    collect(`${path}.${key}`, getOwn(old, key), getOwn(now, key), into);
}

const json = (object: KubeObject): JsonObject => object;
