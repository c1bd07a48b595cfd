import { ApiError, type Client, ignoreNotFound, type ResourceRef } from '@kubewright/client';
import { KubeError, type Named, parseApiVersion, type Stored } from '@kubewright/kube';

/** What the cluster has under the name of a captured object, or why it can have nothing. */
export type Live =
  | { readonly type: 'present'; readonly ref: ResourceRef; readonly live: Stored }
  | { readonly type: 'absent'; readonly ref: ResourceRef }
  | { readonly type: 'unserved'; readonly message: string };

export async function findLive(client: Client, object: Named, namespace: string): Promise<Live> {
  const ref = await resolve(client, object);
  if ('unserved' in ref) return { type: 'unserved', message: ref.unserved };
  const { name } = object.metadata;
  const live = await ignoreNotFound(client.get(ref, ref.namespaced ? { namespace, name } : { name }));
  return live === undefined ? { type: 'absent', ref } : { type: 'present', ref, live };
}

async function resolve(
  client: Client,
  { apiVersion, kind }: Named,
): Promise<ResourceRef | { readonly unserved: string }> {
  try {
    return await client.mapper.resolve({ ...parseApiVersion(apiVersion), kind });
  } catch (error) {
    if (error instanceof KubeError || (error instanceof ApiError && error.reason === 'NoMatch'))
      return { unserved: error.message };
    throw error;
  }
}
