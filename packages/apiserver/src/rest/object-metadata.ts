import type { Json, KubeObject, ObjectMeta, OwnerReference } from '@kubewright/kube';
import { canonicalJson, jsonEqual } from '@kubewright/kube';
import type { ResourceDefinition } from '../model/resource-definition.ts';
import { badRequest } from '../api-server-error.ts';
import type { ResourceRequest } from './resource-request.ts';
import { nameOf, namespaceOf } from '../objects/name-of.ts';

export function withMeta(object: KubeObject, metadata: ObjectMeta): KubeObject {
  return { ...object, metadata };
}

/** Removes the system fields from an object that is to be created. */
export function withoutSystemFields(object: KubeObject): KubeObject {
  const { uid, creationTimestamp, deletionTimestamp, deletionGracePeriodSeconds, selfLink, ...rest } =
    object.metadata;
  const found = [uid, creationTimestamp, deletionTimestamp, deletionGracePeriodSeconds, selfLink];
  return found.every((value) => value === undefined) ? object : withMeta(object, rest);
}

/** Puts the request's namespace into the object; throws 400 where the object has another. */
export function inRequestNamespace(
  object: KubeObject,
  { definition, namespace }: ResourceRequest,
): KubeObject {
  const own = namespaceOf(object);
  const expected = definition.namespaced ? namespace : '';
  if (own === expected) return object;
  if (own === '') return withMeta(object, { ...object.metadata, namespace: expected });
  if (expected === '') return withoutNamespace(object);
  throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
}

function withoutNamespace(object: KubeObject): KubeObject {
  const { namespace: _, ...metadata } = object.metadata;
  return withMeta(object, metadata);
}

/** Throws 400 when the object's name is not the one on the URL. */
export function checkName(object: KubeObject, name: string): void {
  const own = nameOf(object);
  if (own === '') {
    throw badRequest(
      `the name of the object (${name} based on URL) was undeterminable: name must be provided`,
    );
  }
  if (own !== name) {
    throw badRequest(`the name of the object (${own}) does not match the name on the URL (${name})`);
  }
}

/**
 * Owner references without repetitions, which are allowed but warned of. Creates and updates are looked at as they
 * come in, `late` ones (patches) when admission has seen them.
 */
export function withDistinctOwners(object: KubeObject, warnings: string[], late = false): KubeObject {
  const owners = object.metadata.ownerReferences;
  if (owners === undefined || owners.length < 2) return object;
  const distinct: OwnerReference[] = [];
  const repeated: string[] = [];
  const known = new Set<string>();
  for (const owner of owners) {
    // There may be thousands.
    const text = canonicalJson({ ...owner });
    if (known.has(text)) repeated.push(owner.uid);
    else distinct.push(owner);
    known.add(text);
  }
  if (repeated.length === 0) return object;
  warnings.push(
    `.metadata.ownerReferences contains duplicate entries${late ? ' after mutating admission happens' : ''}; ` +
      'API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; ' +
      `please fix your requests; duplicate UID(s) observed: ${repeated.join(', ')}`,
  );
  return withMeta(object, { ...object.metadata, ownerReferences: distinct });
}

/** What an update may not change whatever it sends: identity, and what a deletion has set. */
export function keepSystemFields(object: KubeObject, old: KubeObject): KubeObject {
  const meta = object.metadata;
  const was = old.metadata;
  const kept: Record<string, Json | undefined> = {
    uid: meta.uid ?? was.uid,
    creationTimestamp: was.creationTimestamp ?? meta.creationTimestamp,
    deletionTimestamp: was.deletionTimestamp ?? meta.deletionTimestamp,
    deletionGracePeriodSeconds: meta.deletionGracePeriodSeconds ?? was.deletionGracePeriodSeconds,
  };
  const changed = Object.entries(kept).filter(([key, value]) => value !== meta[key as keyof ObjectMeta]);
  return changed.length === 0 ? object : withMeta(object, { ...meta, ...Object.fromEntries(changed) });
}

/** The object under a generation; 0 means none. */
export function withGeneration(object: KubeObject, generation: number | undefined): KubeObject {
  if (object.metadata.generation === generation) return object;
  const { generation: _, ...rest } = object.metadata;
  return withMeta(object, generation === undefined ? rest : { ...rest, generation });
}

const NOT_SPEC = new Set(['apiVersion', 'kind', 'metadata']);

/** Does anything differ that `metadata.generation` counts: all but metadata and a status with a subresource of its own? */
export function contentDiffers(definition: ResourceDefinition, object: KubeObject, old: KubeObject): boolean {
  const hasStatus = definition.builtIn || definition.status !== undefined;
  const counted = (key: string): boolean => !NOT_SPEC.has(key) && !(hasStatus && key === 'status');
  const keys = new Set([...Object.keys(object), ...Object.keys(old)]);
  for (const key of keys) {
    if (counted(key) && !jsonEqual(ownField(object, key), ownField(old, key))) return true;
  }
  return false;
}

function ownField(object: KubeObject, key: string): Json | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}
