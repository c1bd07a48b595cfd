import {
  getOwn,
  isJsonObject,
  type Json,
  type JsonObject,
  jsonEqual,
  type KubeObject,
} from '@kubewright/kube';
import { NOT_SPEC } from '../annotations/spec-hash.ts';
import { changesOwner } from './changes-owner.ts';

/** The most paths to list in a message, and their greatest depth. */
const MOST = 3;
const DEEPEST = 8;

/** Whether anything but metadata and status differs: the spec, or for example the data of a ConfigMap. */
export function isChanged(old: KubeObject, object: KubeObject): boolean {
  const [before, after] = [json(old), json(object)];
  for (const key in after)
    if (!NOT_SPEC.has(key) && !jsonEqual(getOwn(before, key), getOwn(after, key))) return true;
  for (const key in before) if (!NOT_SPEC.has(key) && !Object.hasOwn(after, key)) return true;
  return false;
}

/** The changed paths, never their values: `spec.replicas, data.color and 2 more`. */
export function changedFields(old: KubeObject, object: KubeObject): string {
  const paths = changedPaths(old, object);
  const more = paths.length - MOST;
  return `${paths.slice(0, MOST).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** The paths of what an update changes, down to a depth; a list is one value. Of metadata, only another owner counts. */
export function changedPaths(old: KubeObject, object: KubeObject, depth = DEEPEST): readonly string[] {
  const paths: string[] = changesOwner(old, object) ? ['metadata.ownerReferences'] : [];
  for (const key of new Set([...Object.keys(old), ...Object.keys(object)]))
    if (!NOT_SPEC.has(key))
      collect({ path: key, depth }, getOwn(json(old), key), getOwn(json(object), key), paths);
  return paths;
}

type Place = { readonly path: string; readonly depth: number };

function collect({ path, depth }: Place, old: Json | undefined, now: Json | undefined, into: string[]): void {
  if (jsonEqual(old, now)) return;
  if (depth <= 1 || !isJsonObject(old) || !isJsonObject(now)) {
    into.push(path);
    return;
  }
  for (const key of new Set([...Object.keys(old), ...Object.keys(now)]))
    collect({ path: pathTo(path, key), depth: depth - 1 }, getOwn(old, key), getOwn(now, key), into);
}

const PLAIN_KEY = /^[\w$-]+$/;

/** The path of a member: `spec.replicas`, and `data[app.yaml]` where the key is no word. */
export function pathTo(path: string, key: string): string {
  return PLAIN_KEY.test(key) ? `${path}.${key}` : `${path}[${key}]`;
}

const json = (object: KubeObject): JsonObject => object;
