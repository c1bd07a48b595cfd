import { ApiError, type Client, type ResourceRef } from '@kubewright/client';
import { errorText, KubeError, parseApiVersion } from '@kubewright/kube';
import type { CaptureTarget } from '../api/manifest-capture-request.ts';

/** The resource of a target that a request in `namespace` may name, or why it may not. */
export async function resolveTarget(
  target: CaptureTarget,
  namespace: string,
  client: Pick<Client, 'mapper'>,
): Promise<ResourceRef | { readonly fault: string }> {
  const resource = await resolve(target, client);
  if ('fault' in resource || resource.namespaced || isOwnNamespace(resource, target, namespace))
    return resource;
  return {
    fault: `${target.kind} ${target.name} has no namespace: only objects of namespace ${namespace} can be captured, and that Namespace itself`,
  };
}

/** Uses discovery, and retries once, so that a CustomResourceDefinition that was just created is found. */
async function resolve(
  { apiVersion, kind }: CaptureTarget,
  { mapper }: Pick<Client, 'mapper'>,
): Promise<ResourceRef | { readonly fault: string }> {
  const find = async (): Promise<ResourceRef> => mapper.resolve({ ...parseApiVersion(apiVersion), kind });
  try {
    return await find().catch(find);
  } catch (error) {
    const isUnserved = error instanceof ApiError && error.reason === 'NoMatch';
    if (isUnserved || error instanceof KubeError) return { fault: errorText(error) };
    throw error;
  }
}

function isOwnNamespace({ group, kind }: ResourceRef, { name }: CaptureTarget, namespace: string): boolean {
  return group === '' && kind === 'Namespace' && name === namespace;
}
