import type { ApiRequest } from '@kubewright/kube';
import type { History } from './history.ts';
import type { Beginning } from './stage.ts';

export type Past = {
  readonly history: History;
  readonly beginning: Beginning;
  /** Writes that are not known yet. */
  readonly behind: number;
};

/** One of the lists that caches begin with, as it was some writes ago; any other request as it is. */
export function olderList(request: ApiRequest, { history, beginning, behind }: Past): ApiRequest {
  const [path = '', query = ''] = request.path.split('?');
  const isList =
    request.method === 'GET' &&
    !query.includes('watch=') &&
    history.all.some(({ resource }) => path.endsWith(`/${resource}`));
  if (!isList) return request;
  const later = history.all.slice(beginning.written.length);
  // The state before so many writes is that of the write before them; nothing is known from before the beginning.
  const revision = later.at(-behind - 1)?.object.metadata.resourceVersion ?? beginning.snapshot.revision;
  const version = `resourceVersion=${revision}&resourceVersionMatch=Exact`;
  return { ...request, path: `${path}?${query === '' ? '' : `${query}&`}${version}` };
}

/**
 * Tells the requests that fill the caches of one life: these alone may be answered by a server that is behind. Who lists
 * the same again, or a part of what it has listed or watches already, asks for what is true now.
 */
export function cacheFilling(): (request: ApiRequest) => boolean {
  const asked = new Set<string>();
  const known = new Set<string>();
  return ({ path }) => {
    const [place = '', query = ''] = path.split('?');
    const kind = place.replace(/\/namespaces\/[^/]+(?=\/)/, '');
    const isFilling = !asked.has(path) && !known.has(kind);
    const isWhole = place === kind && !query.includes('Selector=');
    asked.add(path);
    if (isWhole || query.includes('watch=')) known.add(kind);
    return isFilling;
  };
}
