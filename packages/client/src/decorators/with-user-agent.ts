import type { Transport } from '@kubewright/kube';

/**
 * Names the program that calls: what stands before the first `/` is who owns the fields that it writes, where a write
 * names no manager. Over a transport, as `withImpersonation`; for a connection of one's own,
 * `createTransport({ userAgent })` says the same.
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
