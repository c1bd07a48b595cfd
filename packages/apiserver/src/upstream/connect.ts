import type { HandledRequest } from '../request/handled-request.ts';
import type { ResourceInfo } from '../request/request-info.ts';
import type { ResourceDefinition } from '../model/resource-definition.ts';
import { methodNotAllowed, unknownResource } from '../api-server-error.ts';
import type { Reply } from '../request/reply.ts';

/** Proxies a request on a `connect` subresource, and its response unchanged; undefined for all other paths. */
export function connect(
  { connections = {}, namespaced }: ResourceDefinition,
  request: HandledRequest,
  target: ResourceInfo,
  query: URLSearchParams,
): Reply | Promise<Reply> | undefined {
  const { name, namespace, subresource, rest, inNamespace } = target;
  const connection = Object.hasOwn(connections, subresource) ? connections[subresource] : undefined;
  if (connection === undefined || name === '') return undefined;
  if (inNamespace !== namespaced) throw unknownResource();
  if (rest.length > 0 && !connection.subpaths) throw unknownResource();
  if (!connection.methods.includes(request.method)) throw methodNotAllowed();
  return connection.connect({
    name,
    namespace,
    query,
    signal: request.signal,
    method: request.method,
    target: request.path,
    headers: request.headers,
    body: request.body,
    subpath: subpathOf(target, request.path),
    source: request.source,
  });
}

function subpathOf({ rest }: ResourceInfo, target: string): string {
  const slash = (target.split('?', 1)[0] ?? '').endsWith('/') ? '/' : '';
  return rest.length === 0 ? slash : `/${rest.join('/')}${slash}`;
}
