import { getOwn, type JsonObject } from '@kubewright/kube';

/** A text field of a value that may be anything; `''` where it is none. */
export function textIn(object: JsonObject, key: string): string {
  const value = getOwn(object, key);
  return typeof value === 'string' ? value : '';
}
