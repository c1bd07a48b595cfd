import { ApiError, type Client, type ResourceRef } from '@kubewright/client';
import { errorText, KubeError, parseApiVersion } from '@kubewright/kube';
import type { CapturedKind, CaptureTarget } from '../api/manifest-capture-request.ts';

/** The resource of a target that a request in `namespace` may name, or why it may not. */
export async function resolveTarget(
  target: CaptureTarget,
  namespace: string,
  client: Pick<Client, 'mapper'>,
): Promise<ResourceRef | { readonly fault: string }> {
  const resource = await resolve(target, client);
  if ('fault' in resource || resource.namespaced || isOwnNamespace(resource, target, namespace))
    return resource;
  return clusterScoped(`${target.kind} ${target.name}`, namespace);
}

/** The resource of a kind whose objects in `namespace` a request may select, or why it may not; of Namespaces, that is its own. */
export async function resolveKind(
  kind: CapturedKind,
  namespace: string,
  client: Pick<Client, 'mapper'>,
): Promise<ResourceRef | { readonly fault: string }> {
  const resource = await resolve(kind, client);
  if ('fault' in resource || resource.namespaced || isNamespaces(resource)) return resource;
  return clusterScoped(kind.kind, namespace);
}

function clusterScoped(what: string, namespace: string): { readonly fault: string } {
  return {
    fault: `${what} has no namespace: only objects of namespace ${namespace} can be captured, and that Namespace itself`,
  };
}

/** Uses discovery, and retries once, so that a CustomResourceDefinition that was just created is found. */
async function resolve(
  { apiVersion, kind }: CapturedKind,
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

function isOwnNamespace(ref: ResourceRef, { name }: CaptureTarget, namespace: string): boolean {
  return isNamespaces(ref) && name === namespace;
}

function isNamespaces({ group, kind }: ResourceRef): boolean {
  return group === '' && kind === 'Namespace';
}
