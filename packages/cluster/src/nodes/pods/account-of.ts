import type { Client } from '@kubewright/client';
import { type authenticationv1, corev1, type KubeObject, type Stored } from '@kubewright/kube';
import { ClusterError } from '../../cluster-error.ts';
import type { AccountCredentials } from '../runtime/container-runtime.ts';

/** That of the volume which a server adds to pods: such a token lives as long as the pod. */
const LIFETIME_SECONDS = 3607;
const ROOT_CA = 'kube-root-ca.crt';

/** A token of a pod's service account, bound to the pod, and the authority that its namespace trusts. */
export async function accountOf(
  client: Client,
  { metadata, spec }: Stored<corev1.Pod>,
): Promise<AccountCredentials> {
  const { namespace, name, uid } = metadata;
  const request: authenticationv1.TokenRequest = {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    metadata: { name: spec.serviceAccountName ?? 'default', namespace },
    spec: {
      audiences: [],
      expirationSeconds: LIFETIME_SECONDS,
      boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name, uid },
    },
  };
  const [{ data = {} }, issued] = await Promise.all([
    client.get(corev1.configmaps, { namespace, name: ROOT_CA }),
    client.create<KubeObject>(corev1.serviceaccounts, request, { subresource: 'token' }),
  ]);
  const { token } = (issued['status'] ?? {}) as { readonly token?: string };
  const ca = data['ca.crt'];
  if (token === undefined || ca === undefined)
    throw new ClusterError('InvalidState', `no token for the service account of pod ${namespace}/${name}`);
  return { token, ca };
}
