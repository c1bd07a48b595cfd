import type { Client, Ref } from '@kubewright/client';
import { type Json, jsonEqual, type KubeObject, type Stored } from '@kubewright/kube';
import { undoneWait } from './undone-wait.ts';

/**
 * Writes a status by `update`, for which alone the controllers' roles have the right, unless it is the `same` as before.
 * Returns how long to wait until the next look, where that is needed.
 */
export async function updateChangedStatus<T extends KubeObject & { readonly status?: Json }>(
  client: Client,
  ref: Ref<T>,
  object: Stored<T>,
  { status, same }: { readonly status: NonNullable<T['status']>; readonly same?: boolean | undefined },
): Promise<number | undefined> {
  if (same ?? jsonEqual(status, object.status ?? {})) return undefined;
  return undoneWait(object, await client.update(ref, { ...object, status }, { subresource: 'status' }));
}
