import type { Transport } from '@kubewright/kube';
import { impersonationHeaders } from '../kubeconfig/impersonation-headers.ts';
import type { Impersonation } from '../kubeconfig/kubeconfig.ts';

/**
 * Calls as somebody else, where the server lets the caller do so (verb `impersonate`). Over a transport, because a
 * watch and discovery are to be seen through the same eyes. The connection is shared with `transport`.
 *
 * @example `createClient(withImpersonation(transport, { user: 'jane', groups: ['dev'] }))`
 */
export function withImpersonation(transport: Transport, who: Impersonation): Transport {
  const headers = impersonationHeaders(who);
  return {
    request: (request) => transport.request({ ...request, headers: { ...request.headers, ...headers } }),
    close: () => transport.close(),
  };
}
