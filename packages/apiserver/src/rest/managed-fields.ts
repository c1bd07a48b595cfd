import type { Json, KubeObject } from '@kubewright/kube';
import { jsonEqual } from '@kubewright/kube';
import type { ResourceDefinition, Strategy } from '../registry/resource-definition.ts';
import type { Registry } from '../registry/registry.ts';

/** Who writes, when, and through which door. */
export type Writer = {
  readonly manager: string;
  /** Empty for the object itself. */
  readonly subresource: string;
  readonly strategy: Strategy;
  readonly now: Date;
};

/** Records an update, of whatever kind but apply. */
export function recordUpdate(
  _registry: Registry,
  _definition: ResourceDefinition,
  _live: KubeObject | undefined,
  object: KubeObject,
  _writer: Writer,
): KubeObject {
  return object;
}

/**
 * Where nothing but times of managedFields differs from the old object, the old object: a write that changes nothing
 * is no write. (`IgnoreManagedFieldsTimestampsTransformer`, and the store's own comparison.)
 */
export function unlessUnchanged(object: KubeObject, old: KubeObject): KubeObject {
  if (object === old) return old;
  const { metadata, ...body } = object;
  const { metadata: oldMetadata, ...oldBody } = old;
  const { managedFields = [], ...meta } = metadata;
  const { managedFields: oldFields = [], ...oldMeta } = oldMetadata;
  const same =
    jsonEqual(withoutTimes(managedFields), withoutTimes(oldFields)) &&
    jsonEqual(meta, oldMeta) &&
    jsonEqual(body, oldBody);
  return same ? old : object;
}

function withoutTimes(entries: NonNullable<KubeObject['metadata']['managedFields']>): Json {
  return entries.map((entry) => ({ ...entry, time: '' }));
}
