import type { ApiRequest, ApiResponse } from '@kubewright/kube';
import type { ServiceResolver } from '../upstream/service-resolver.ts';
import type { UserInfo } from '../request/user-info.ts';
import type { Delegate } from './delegate.ts';
import type { ExtensionTransport } from './extension-transport.ts';
import type { FrontProxyCertificates } from './front-proxy.ts';
import { withRemoteUser } from './with-remote-user.ts';

/** What it takes to call extension servers. */
export type DelegateAccess = {
  readonly transport: ExtensionTransport;
  readonly resolveService: ServiceResolver;
  readonly certificates: () => Promise<FrontProxyCertificates>;
};

export type DelegatedRequest = Pick<ApiRequest, 'path' | 'headers' | 'signal'> & {
  readonly method: string;
  readonly body: Uint8Array;
};

/** Sends a request on, in the name of `user`. Rejects where the service cannot be resolved or reached. */
export async function callDelegate(
  { transport, resolveService, certificates }: DelegateAccess,
  { service, caBundle, insecure }: Delegate,
  { method, path, headers, body, signal }: DelegatedRequest,
  user: UserInfo,
): Promise<ApiResponse> {
  const { cert, key } = await certificates();
  return await transport.call({
    method,
    path,
    headers: withRemoteUser(headers, user),
    body,
    address: resolveService(service),
    serverName: `${service.name}.${service.namespace}.svc`,
    caBundle,
    insecure,
    credentials: { cert, key },
    signal,
  });
}
