import type { Client } from '@kubewright/client';
import { authenticationv1 } from '@kubewright/kube';
import type { AdmissionUser, ExtensionCall } from '@kubewright/runtime';
import { isFrontProxy, readFrontProxy, userInHeaders } from './front-proxy.ts';

/**
 * Who a caller is: whom the API server names, if it is the API server that calls, or else whose token it has
 * (TokenReview). Undefined: nobody knows.
 */
export async function authenticate(
  { headers, certificate, signal }: Pick<ExtensionCall, 'headers' | 'certificate' | 'signal'>,
  client: Client,
  now: number,
): Promise<AdmissionUser | undefined> {
  if (certificate !== undefined) {
    const proxy = await readFrontProxy(client, signal);
    if (proxy !== undefined && isFrontProxy(proxy, certificate, now)) return userInHeaders(proxy, headers);
  }
  const [, token] = /^bearer (\S+)$/i.exec(String(headers['authorization'] ?? '')) ?? [];
  return token === undefined ? undefined : userOf(token, client, signal);
}

async function userOf(
  token: string,
  client: Client,
  signal: AbortSignal,
): Promise<AdmissionUser | undefined> {
  const { status } = await client.create(
    authenticationv1.tokenreviews,
    { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', metadata: {}, spec: { token } },
    { signal },
  );
  const { authenticated, user } = status ?? {};
  if (authenticated !== true || user?.username === undefined) return undefined;
  const { username, uid = '', groups = [], extra = {} } = user;
  return { username, uid, groups, extra };
}
