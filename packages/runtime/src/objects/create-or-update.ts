import { ignoreNotFound, keyOf, type ObjectKey, type WriteOptions, type WriteRef } from '@kubewright/client';
import { jsonEqual, type JsonObject, type KubeObject, type Stored } from '@kubewright/kube';
import { diffMergePatch } from '@kubewright/kube/patch';
import { RuntimeError } from '../runtime-error.ts';
import type { ManagerClient } from './manager-client.ts';

/** What was done, in controller-runtime's terms. */
export type OperationResult = 'unchanged' | 'created' | 'updated' | 'updatedStatus' | 'updatedStatusOnly';

export type CreatedOrUpdated<T extends KubeObject> = {
  readonly result: OperationResult;
  readonly object: Stored<T>;
};

/**
 * Returns the desired object; gets `undefined` where it does not exist. Must keep name and namespace, and the fields that
 * the server sets, or every call will write.
 */
export type Mutate<T extends KubeObject, I extends KubeObject = T> = (current: Stored<T> | undefined) => I;

/**
 * Reads the object from the server and calls `mutate`; then creates or updates it, or does nothing when it is equal. Rejects
 * with a conflict, or `AlreadyExists`, when it was written in between.
 *
 * Where there are other writers of the object, prefer server-side apply.
 */
export async function createOrUpdate<T extends KubeObject, I extends KubeObject = T>(
  { client }: ManagerClient,
  ref: WriteRef<T, I>,
  key: ObjectKey,
  mutate: Mutate<NoInfer<T>, NoInfer<I>>,
  options: WriteOptions = {},
): Promise<CreatedOrUpdated<T>> {
  const current = await ignoreNotFound(client.get(ref, key));
  const wanted = checked(mutate(current), key);
  if (current === undefined) return created(await client.create(ref, wanted, options));
  if (jsonEqual(current, wanted)) return { result: 'unchanged', object: current };
  return { result: 'updated', object: await client.update(ref, wanted, options) };
}

/**
 * As {@link createOrUpdate}, but patches only what differs, and `status` through its subresource. A create writes no status.
 * Patches are guarded by the resourceVersion.
 */
export async function createOrPatch<T extends KubeObject, I extends KubeObject = T>(
  { client }: ManagerClient,
  ref: WriteRef<T, I>,
  key: ObjectKey,
  mutate: Mutate<NoInfer<T>, NoInfer<I>>,
  options: WriteOptions = {},
): Promise<CreatedOrUpdated<T>> {
  const current = await ignoreNotFound(client.get(ref, key));
  const wanted = checked(mutate(current), key);
  if (current === undefined) return created(await client.create(ref, wanted, options));
  const { status = {}, ...rest } = diffMergePatch(current, wanted);
  const patch = async (base: Stored<T>, body: JsonObject, subresource: object): Promise<Stored<T>> => {
    if (Object.keys(body).length === 0) return base;
    const guarded = withVersion(body, base);
    return client.patch(ref, key, { type: 'merge', body: guarded }, { ...options, ...subresource });
  };
  const patched = await patch(current, rest, {});
  const statusPatch = jsonEqual(status, {}) ? {} : { status };
  const object = await patch(patched, statusPatch, { subresource: 'status' });
  return { result: resultOf(patched !== current, object !== patched), object };
}

function created<T extends KubeObject>(object: Stored<T>): CreatedOrUpdated<T> {
  return { result: 'created', object };
}

function resultOf(object: boolean, status: boolean): OperationResult {
  if (object) return status ? 'updatedStatus' : 'updated';
  return status ? 'updatedStatusOnly' : 'unchanged';
}

function withVersion(body: JsonObject, { metadata: { resourceVersion } }: Stored): JsonObject {
  return { ...body, metadata: { ...(body['metadata'] as JsonObject | undefined), resourceVersion } };
}

function checked<T extends KubeObject>(wanted: T, key: ObjectKey): T {
  const { namespace, name } = keyOf(wanted);
  if (name === key.name && (namespace ?? '') === (key.namespace ?? '')) return wanted;
  throw new RuntimeError('InvalidState', `mutate made ${namespace}/${name} of ${key.namespace}/${key.name}`);
}
