import type { JsonObject, Transport } from '@kubewright/kube';
import type { KeyPair } from '../support/certificates.ts';

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
  /** A client certificate. */
  issueClientCertificate(order: ClientOrder): Promise<KeyPair>;
  stop(): Promise<void>;
};

/** A server under test that can be made to fail as servers do. */
export type RestartableServer = TestServer & {
  /** Ends the API server without warning, and serves what it held again, on the same port. Resolves when it is ready. */
  restart(whileDown?: () => Promise<void>): Promise<void>;
  /** Compacts the history: a request for an older revision gets 410 Gone. */
  forgetHistory(): Promise<void>;
  /** The audit events so far, of level Metadata; none without {@link ServerOptions.audit}. */
  auditEvents(): Promise<readonly JsonObject[]>;
};

export type ServerOptions = {
  /** Pods need an existing service account. Default false: without the controller there is no `default` account. */
  readonly accounts?: boolean;
  /** It keeps an audit log. Default false. */
  readonly audit?: boolean;
  /** Namespaces in which the audit log of a real server has what a create, update, patch or delete has come to. Default: none. */
  readonly auditedObjects?: readonly string[];
  /** An address of this machine by which nodes reach a real server, besides the loopback. Default: none. */
  readonly address?: string;
};

/** The subject of a certificate, which is valid now by default. */
export type ClientOrder = {
  readonly username: string;
  readonly groups?: readonly string[];
  readonly validity?: { readonly notBefore: Date; readonly notAfter: Date };
};

/** Users of every server under test. */
export type TestUser = 'admin' | 'alice';

export const USERS: Readonly<
  Record<TestUser, { readonly token: string; readonly groups: readonly string[] }>
> = {
  admin: { token: 'kubewright-admin-token', groups: ['system:masters'] },
  alice: { token: 'kubewright-alice-token', groups: ['developers'] },
};
