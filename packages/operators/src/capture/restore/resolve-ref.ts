import { ApiError, type Client, type ObjectKey, type ResourceRef } from '@kubewright/client';
import { KubeError, type Named, parseApiVersion } from '@kubewright/kube';

/** The resource of a captured object, or why the cluster can have none. */
export async function resolveRef(
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

export function keyIn(ref: ResourceRef, { metadata: { name } }: Named, namespace: string): ObjectKey {
  return ref.namespaced ? { namespace, name } : { name };
}
