import type { ApiRequest } from '@kubewright/kube';

/** What a request is about; the vocabulary of `k8s.io/apiserver/pkg/endpoints/request`. */
export type RequestInfo = {
  readonly path: string;
  readonly query: URLSearchParams;
  /** `get`, `list`, `watch`, `create`, `update`, `patch`, `delete`, `deletecollection`; else the method. */
  readonly verb: string;
  readonly resource?: ResourceInfo;
};

/** The part of a path that names a resource. Empty strings for parts that the path does not have. */
export type ResourceInfo = {
  readonly group: string;
  readonly version: string;
  readonly namespace: string;
  readonly resource: string;
  readonly name: string;
  readonly subresource: string;
  /** The path leads through a namespace to something in it. */
  readonly inNamespace: boolean;
  /** The path after the subresource: only proxied requests have one. */
  readonly rest: readonly string[];
};

const VERBS: Readonly<Record<string, string>> = {
  POST: 'create',
  GET: 'get',
  HEAD: 'get',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
};
/** Path segments after a namespace's name that are no resources in that namespace. */
const NAMESPACE_SUBRESOURCES = new Set(['status', 'finalize']);
const NO_QUERY = new URLSearchParams();

/** Reads a request's path. Undefined when it is not a proper one (bad percent-encoding). */
export function requestInfo({
  method,
  path: target,
}: Pick<ApiRequest, 'method' | 'path'>): RequestInfo | undefined {
  const mark = target.indexOf('?');
  const path = mark < 0 ? target : target.slice(0, mark);
  const query = mark < 0 ? NO_QUERY : new URLSearchParams(target.slice(mark + 1));
  const parts = splitPath(path);
  if (parts === undefined) return undefined;
  const found = resourceInfo(parts);
  if (found === undefined) return { path, query, verb: method.toLowerCase() };
  const { watch, ...resource } = found;
  return { path, query, verb: watch ? 'watch' : verbOf(method, resource, query), resource };
}

function splitPath(path: string): string[] | undefined {
  const parts = path.split('/').filter((part) => part !== '');
  if (!path.includes('%')) return parts;
  try {
    return parts.map(decodeURIComponent);
  } catch {
    return undefined;
  }
}

/** `/api/v1/watch/…` is the older form of `?watch=true`. */
function resourceInfo(parts: readonly string[]): (ResourceInfo & { readonly watch: boolean }) | undefined {
  const [prefix, ...after] = parts;
  const core = prefix === 'api';
  if (!core && prefix !== 'apis') return undefined;
  const [group = '', version = '', ...path] = core ? ['', ...after] : after;
  if (path.length === 0) return undefined;
  const watch = path[0] === 'watch' && path.length > 1;
  return { group, version, watch, ...locate(watch ? path.slice(1) : path) };
}

function locate(path: readonly string[]): Omit<ResourceInfo, 'group' | 'version'> {
  const inNamespace =
    path[0] === 'namespaces' && path.length > 2 && !NAMESPACE_SUBRESOURCES.has(path[2] ?? '');
  const namespace = path[0] === 'namespaces' ? (path[1] ?? '') : '';
  const [resource = '', name = '', subresource = '', ...rest] = inNamespace ? path.slice(2) : path;
  return { namespace, resource, name, subresource, inNamespace, rest };
}

function verbOf(method: string, { name, subresource }: ResourceInfo, query: URLSearchParams): string {
  const verb = VERBS[method] ?? '';
  if (verb === 'delete') return name === '' ? 'deletecollection' : 'delete';
  if (verb !== 'get' || subresource !== '') return verb;
  const watch = query.get('watch');
  if (watch !== null && watch !== 'false' && watch !== '0') return 'watch';
  return name === '' ? 'list' : 'get';
}
