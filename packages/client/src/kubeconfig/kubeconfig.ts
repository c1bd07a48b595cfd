/** A kubeconfig after merging: relative paths are absolute, names are keys. */
export type Kubeconfig = {
  readonly clusters: ReadonlyMap<string, KubeconfigCluster>;
  readonly users: ReadonlyMap<string, KubeconfigUser>;
  readonly contexts: ReadonlyMap<string, KubeconfigContext>;
  readonly currentContext: string | undefined;
  /** Where it was read from, for messages. */
  readonly files: readonly string[];
};

export type KubeconfigCluster = {
  readonly server: string;
  readonly certificateAuthority?: string;
  /** PEM, already decoded from base64. */
  readonly certificateAuthorityData?: string;
  readonly insecureSkipTlsVerify?: boolean;
  readonly tlsServerName?: string;
  readonly proxyUrl?: string;
};

export type KubeconfigUser = {
  readonly clientCertificate?: string;
  readonly clientCertificateData?: string;
  readonly clientKey?: string;
  readonly clientKeyData?: string;
  readonly token?: string;
  readonly tokenFile?: string;
  readonly username?: string;
  readonly password?: string;
  readonly impersonate?: Impersonation;
  readonly exec?: ExecConfig;
  /** The name of a plugin that was built into clients; none is supported. */
  readonly authProvider?: string;
};

/** The user to impersonate (`Impersonate-*` headers). */
export type Impersonation = {
  readonly user: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
};

/** A program that prints an `ExecCredential`; https://kubernetes.io/docs/reference/access-authn-authz/authentication/#client-go-credential-plugins */
export type ExecConfig = {
  readonly apiVersion: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly installHint?: string;
  readonly provideClusterInfo: boolean;
  readonly interactiveMode: string;
};

export type KubeconfigContext = {
  readonly cluster: string;
  readonly user: string;
  readonly namespace?: string;
};
