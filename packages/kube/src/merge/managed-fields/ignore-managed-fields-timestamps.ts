import { jsonEqual } from '../../json/json-equal.ts';
import type { KubeObject } from '../../object/kube-object.ts';
import { jsonOf } from './typed-object.ts';

/**
 * The live object where `next` differs from it in nothing but the times of its managers: such a write is none.
 * Source: apiserver's `IgnoreManagedFieldsTimestampsTransformer`.
 */
export function ignoreManagedFieldsTimestamps(live: KubeObject, next: KubeObject): KubeObject {
  return jsonEqual(jsonOf(untimed(live)), jsonOf(untimed(next))) ? live : next;
}

function untimed(object: KubeObject): KubeObject {
  const entries = object.metadata.managedFields;
  if (entries === undefined) return object;
  const managedFields = entries.map((entry) => ({ ...entry, time: '' }));
  return { ...object, metadata: { ...object.metadata, managedFields } };
}
