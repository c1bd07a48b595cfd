import { ignoreNotFound, keyOf, type ObjectKey, type WriteOptions, type WriteRef } from '@kubewright/client';
import { jsonEqual, type JsonObject, type KubeObject, type Stored } from '@kubewright/kube';
import { diffMergePatch } from '@kubewright/kube/patch';
import { RuntimeError } from '../runtime-error.ts';
import type { ManagerClient } from './manager-client.ts';

/** What was done. The words are controller-runtime's. */
export type OperationResult = 'unchanged' | 'created' | 'updated' | 'updatedStatus' | 'updatedStatusOnly';

export type CreatedOrUpdated<T extends KubeObject> = {
  readonly result: OperationResult;
  readonly object: Stored<T>;
};

/**
 * Makes an object of what is there, or of nothing: `undefined` stands for an object that does not exist. Must keep name
 * and namespace, and must keep what the server fills in, or every call will write.
 */
export type Mutate<T extends KubeObject, I extends KubeObject = T> = (current: Stored<T> | undefined) => I;

/**
 * Reads the object from the server, lets `mutate` say how it should be, and creates it, replaces it, or leaves it alone
 * when it is so already. Rejects with a conflict, or `AlreadyExists`, when somebody else wrote in between.
 *
 * Where others write the same object too, prefer server-side apply.
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
 * As {@link createOrUpdate}, but sends only what differs, and what differs in `status` to the status subresource. Of an
 * object that does not exist yet no status is written. Patches are guarded by resourceVersion.
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
