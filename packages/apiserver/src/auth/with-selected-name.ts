import { parseFieldSelector } from '@kubewright/kube/selectors';
import type { RequestInfo } from '../request/request-info.ts';

const OF_COLLECTIONS = new Set(['list', 'watch', 'deletecollection']);

/** What a request asks the right to: a collection narrowed to `metadata.name=x` is the object x. */
export function withSelectedName(info: RequestInfo): RequestInfo {
  const { resource, query, verb } = info;
  if (resource === undefined || resource.name !== '' || !OF_COLLECTIONS.has(verb)) return info;
  const selector = query.get('fieldSelector');
  const name = selector === null ? undefined : selectedName(selector);
  return name === undefined ? info : { ...info, resource: { ...resource, name } };
}

function selectedName(selector: string): string | undefined {
  try {
    const found = parseFieldSelector(selector).find(
      ({ field, operator }) => field === 'metadata.name' && operator === '=',
    );
    return found?.value;
  } catch {
    // Whoever reads the selector for what it selects refuses it with the right words.
    return undefined;
  }
}
