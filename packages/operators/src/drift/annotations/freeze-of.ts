import { defined, isJsonObject, KubeError, type KubeObject, parseTime } from '@kubewright/kube';
import { ANNOTATIONS, type Freeze } from '../api.ts';
import { readAnnotation, jsonOf, textAt } from './read-annotation.ts';

/** The freeze on a parent. A value that cannot be parsed freezes; only an empty value and `false` do not. */
export function freezeOf(parent: KubeObject): Freeze | undefined {
  const text = readAnnotation(parent, ANNOTATIONS.freeze);
  if (text === undefined || text === '' || text === 'false') return undefined;
  const json = jsonOf(text);
  if (!isJsonObject(json)) return {};
  const [message, at] = [textAt(json, 'message'), textAt(json, 'at')];
  return { ...defined({ message, at }) };
}

/** Whether Events about drift are snoozed now. The decision does not depend on it. */
export function isSnoozed(parent: KubeObject, now: Date): boolean {
  const text = readAnnotation(parent, ANNOTATIONS.snooze);
  if (text === undefined) return false;
  const json = jsonOf(text);
  const expiry = isJsonObject(json) ? textAt(json, 'expiry') : text;
  try {
    return expiry !== undefined && now < parseTime(expiry);
  } catch (error) {
    if (error instanceof KubeError) return false;
    throw error;
  }
}
