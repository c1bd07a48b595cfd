import type { Transport } from '@kubewright/kube';

/**
 * Sets the `User-Agent`: the part before the first `/` is the field manager of writes that name none. Wraps a transport,
 * as `withImpersonation` does; for a transport of its own, use `createTransport({ userAgent })`.
 *
 * @example `createClient(withUserAgent(server.transport(), 'kube-scheduler/v1.36.2'))`
 */
export function withUserAgent(transport: Transport, userAgent: string): Transport {
  return {
    request: (request) =>
      transport.request({ ...request, headers: { ...request.headers, 'user-agent': userAgent } }),
    close: () => transport.close(),
  };
}
