import { ApiError } from '@kubewright/client';
import { errorText, KubeError, parseApiVersion } from '@kubewright/kube';
import type { Io, Request } from '@kubewright/runtime';
import { type FollowObjectRef, OBJECT_KEEPERS } from '../api/object-keeper.ts';
import type { Followed, ObservedKeeper } from './decide.ts';

/** The keeper, and the object that it follows as the server has it. */
export async function observe(request: Request, io: Io): Promise<ObservedKeeper | undefined> {
  const keeper = io.cache.get(OBJECT_KEEPERS, request);
  if (keeper === undefined || keeper.metadata.deletionTimestamp !== undefined) return undefined;
  const { mode, followObjectRef } = keeper.spec;
  if (mode === 'TTL' || followObjectRef === undefined) return { keeper };
  return { keeper, followed: await readFollowed(followObjectRef, io) };
}

async function readFollowed(ref: FollowObjectRef, { client, signal }: Io): Promise<Followed> {
  const { kind, name } = ref;
  try {
    const resource = await client.mapper.resolve({ ...parseApiVersion(ref.apiVersion), kind });
    const namespace = resource.namespaced ? ref.namespace : undefined;
    const { metadata } = await client.get(resource, { namespace, name }, { signal });
    return { type: 'found', uid: metadata.uid };
  } catch (error) {
    return readingFailed(error, name);
  }
}

/**
 * Only a NotFound that names the object means that it is gone: a 404 for the path of a kind that is not served says
 * nothing about an object.
 */
function readingFailed(error: unknown, name: string): Followed {
  const message = errorText(error);
  if (error instanceof KubeError) return { type: 'unknown', reason: 'InvalidAPIVersion', message };
  if (!(error instanceof ApiError)) throw error;
  if (isGone(error, name)) return { type: 'absent' };
  if (error.code === 403) return { type: 'unknown', reason: 'Forbidden', message };
  if (error.code === 404 || error.reason === 'NoMatch')
    return { type: 'unknown', reason: 'NotServed', message };
  throw error;
}

function isGone({ code, reason, status }: ApiError, name: string): boolean {
  return code === 404 && reason === 'NotFound' && status.details?.name === name;
}
