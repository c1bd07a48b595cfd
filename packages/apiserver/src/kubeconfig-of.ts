import type { JsonObject } from '@kubewright/kube';

/** A user's credentials: PEM texts, or a bearer token. */
export type KubeconfigUser = { readonly name: string } & (
  | { readonly token: string }
  | { readonly cert: string; readonly key: string }
);

/** A kubeconfig of one cluster and one user. `caCert` is PEM. */
export function kubeconfigOf(server: string, caCert: string, user: KubeconfigUser): JsonObject {
  const name = 'kubewright';
  const cluster = { server, 'certificate-authority-data': base64(caCert) };
  const credentials =
    'token' in user
      ? { token: user.token }
      : { 'client-certificate-data': base64(user.cert), 'client-key-data': base64(user.key) };
  return {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name, cluster }],
    users: [{ name: user.name, user: credentials }],
    contexts: [{ name, context: { cluster: name, user: user.name } }],
    'current-context': name,
  };
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}
