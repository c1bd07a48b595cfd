import type { Transport } from '@kubewright/kube';

/** A Kubernetes API under test. Contract suites see nothing else, so they run on every implementation alike. */
export type TestServer = {
  readonly name: 'embedded' | 'real';
  /** `https://127.0.0.1:port`. */
  readonly url: string;
  /** PEM of the CA that signed the server's certificate. */
  readonly caCert: string;
  /** The bearer token of {@link ADMIN}. */
  readonly token: string;
  /** A kubeconfig of a cluster admin. */
  readonly kubeconfigPath: string;
  /** Calls the API as `user`, a cluster admin by default. */
  transport(user?: TestUser): Transport;
  stop(): Promise<void>;
};

/** Users that every server under test knows. */
export type TestUser = 'admin' | 'alice';

export const USERS: Readonly<
  Record<TestUser, { readonly token: string; readonly groups: readonly string[] }>
> = {
  admin: { token: 'kubewright-admin-token', groups: ['system:masters'] },
  alice: { token: 'kubewright-alice-token', groups: ['developers'] },
};
