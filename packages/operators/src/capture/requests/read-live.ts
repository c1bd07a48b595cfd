import { ApiError, type ObjectKey, type Ref } from '@kubewright/client';
import type { KubeObject, Stored } from '@kubewright/kube';
import type { Io } from '@kubewright/runtime';

/** The result of a read. Transient errors (5xx, 429, no response) are thrown, and the queue retries. */
export type LiveRead<T extends KubeObject> =
  | { readonly type: 'found'; readonly object: Stored<T> }
  | { readonly type: 'absent'; readonly message: string }
  | { readonly type: 'forbidden'; readonly message: string };

/**
 * Reads from the server, never from a cache: the outcome of a request is final, so it must not depend on stale data.
 */
export async function readLive<T extends KubeObject>(
  { client, signal }: Pick<Io, 'client' | 'signal'>,
  ref: Ref<T>,
  key: ObjectKey,
): Promise<LiveRead<T>> {
  try {
    return { type: 'found', object: await client.get(ref, key, { signal }) };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.code === 404) return { type: 'absent', message: error.message };
    if (error.code === 403) return { type: 'forbidden', message: error.message };
    throw error;
  }
}

/** The object, where there is one. */
export function foundIn<T extends KubeObject>(read: LiveRead<T> | undefined): Stored<T> | undefined {
  return read?.type === 'found' ? read.object : undefined;
}
