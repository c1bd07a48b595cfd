import type { ApiRequest } from '@kubewright/kube';
import type { History } from './history.ts';
import type { InitialState } from './simulated-api.ts';

type StaleView = {
  readonly history: History;
  readonly initial: InitialState;
  /** Writes that the list does not contain yet. */
  readonly behind: number;
};

/** A list that fills a cache, as a stale read of some writes ago; any other request unchanged. */
export function staleList(request: ApiRequest, { history, initial, behind }: StaleView): ApiRequest {
  const [path = '', query = ''] = request.path.split('?');
  const isList =
    request.method === 'GET' &&
    !query.includes('watch=') &&
    history.all.some(({ resource }) => path.endsWith(`/${resource}`));
  if (!isList) return request;
  const later = history.all.slice(initial.written.length);
  // The state before so many writes is that of the write before them; no revision before the initial state is known.
  const revision = later.at(-behind - 1)?.object.metadata.resourceVersion ?? initial.snapshot.revision;
  const version = `resourceVersion=${revision}&resourceVersionMatch=Exact`;
  return { ...request, path: `${path}?${query === '' ? '' : `${query}&`}${version}` };
}

/**
 * Whether a request fills a cache of one instance: only these may be served stale. A repeated list, or one of a part of
 * what the instance has listed or watches already, reads the current state.
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
