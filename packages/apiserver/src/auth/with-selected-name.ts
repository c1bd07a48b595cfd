import { parseFieldSelector } from '@kubewright/kube/selectors';
import type { RequestInfo } from '../request/request-info.ts';

const OF_COLLECTIONS = new Set(['list', 'watch', 'deletecollection']);

/** What a request is authorized for: a collection narrowed to `metadata.name=x` is the object x. */
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
    // The parser of list options reports the error.
    return undefined;
  }
}
