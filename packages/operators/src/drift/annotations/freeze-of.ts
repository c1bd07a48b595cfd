import {
  defined,
  getOwn,
  isJsonArray,
  isJsonObject,
  type JsonObject,
  KubeError,
  type KubeObject,
  parseTime,
} from '@kubewright/kube';
import { ANNOTATIONS, type Freeze, type ObjectPlace } from '../api.ts';
import { placeIn } from './place-of.ts';
import { readAnnotation, jsonOf, MOST_ENTRIES, textAt } from './read-annotation.ts';

/** The freeze on a parent. A value that cannot be parsed freezes; only an empty value and `false` do not. */
export function freezeOf(parent: KubeObject): Freeze | undefined {
  const text = readAnnotation(parent, ANNOTATIONS.freeze);
  if (text === undefined || text === '' || text === 'false') return undefined;
  const json = jsonOf(text);
  if (!isJsonObject(json)) return {};
  const [message, at] = [textAt(json, 'message'), textAt(json, 'at')];
  return { ...defined({ message, at, tree: treeOf(json) }) };
}

/** What the brake has frozen together. */
function treeOf(freeze: JsonObject): readonly ObjectPlace[] | undefined {
  const tree = getOwn(freeze, 'tree');
  if (!isJsonArray(tree)) return undefined;
  return tree
    .slice(0, MOST_ENTRIES)
    .filter((one) => isJsonObject(one))
    .map(placeIn);
}

/** Whether Events about drift are snoozed now. The decision does not depend on it. */
export function isSnoozed(parent: KubeObject, now: Date): boolean {
  const expiry = snoozeExpiry(parent);
  return expiry !== undefined && now < expiry;
}

/** When the snooze of a parent ends; undefined if there is none, or it cannot be parsed. */
export function snoozeExpiry(parent: KubeObject): Date | undefined {
  const text = readAnnotation(parent, ANNOTATIONS.snooze);
  if (text === undefined) return undefined;
  const json = jsonOf(text);
  const expiry = isJsonObject(json) ? textAt(json, 'expiry') : text;
  try {
    return expiry === undefined ? undefined : parseTime(expiry);
  } catch (error) {
    if (error instanceof KubeError) return undefined;
    throw error;
  }
}
