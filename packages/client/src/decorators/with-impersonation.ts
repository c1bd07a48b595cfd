import type { Transport } from '@kubewright/kube';
import { impersonationHeaders } from '../kubeconfig/impersonation-headers.ts';
import type { Impersonation } from '../kubeconfig/kubeconfig.ts';

/**
 * Impersonates another user; the caller needs the verb `impersonate`. Wraps the transport, not the client, so that watches
 * and discovery are impersonated too. Shares the connections of `transport`.
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
