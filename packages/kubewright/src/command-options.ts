/** What commander makes of the flags of each command. */
export type ClusterChoice = {
  readonly kubeconfig?: string | undefined;
  /** A context of the kubeconfig. */
  readonly context?: string | undefined;
};
/** Which file containers of an image run. */
export type ImageScript = { readonly name: string; readonly file: string };
export type ServeOptions = { readonly port: number; readonly kubeconfigOut?: string };
export type ApiServerOptions = ServeOptions & { readonly auditLog?: string };
export type EnvtestOptions = { readonly directory?: string };
export type ClusterOptions = ServeOptions & {
  readonly nodes: number;
  readonly image?: readonly ImageScript[];
};
export type UpOptions = ClusterOptions & {
  readonly operators: readonly string[];
  readonly demo: boolean;
  readonly healthPort: number;
};
export type ManagerOptions = ClusterChoice & {
  readonly operators: readonly string[];
  readonly leaderElect: boolean;
  readonly leaderElectNamespace: string;
  readonly namespace: string;
  /** Default: all addresses. */
  readonly webhookHost?: string;
  readonly webhookPort: number;
  /** Where the API server reaches that port, where no Service leads to it. */
  readonly webhookUrl?: URL;
  /** Of a certificate that somebody else renews. */
  readonly webhookCertDir?: string;
  readonly crds: boolean;
  readonly healthPort: number;
  readonly shutdownDelaySeconds: number;
};
export type InstallOptions = ClusterChoice & {
  readonly operators: readonly string[];
  readonly namespace: string;
  readonly image: string;
  /** Of operators, by environment variable. */
  readonly settings?: Readonly<Record<string, string>>;
  readonly prometheus?: true;
  readonly dashboards?: true;
  readonly nodeAgents?: true;
  /** Of users' objects that operators may work on: `configmaps`, `deployments.apps`, `*.apps`, `*`. */
  readonly kinds?: readonly string[];
  readonly apply?: true;
  readonly forceConflicts?: true;
  /** How long to wait for the manager, in seconds. */
  readonly timeout: number;
  readonly output?: string;
  readonly dryRun?: string;
};
export type NewOperatorOptions = {
  readonly group: string;
  readonly kind?: string;
  /** A release folder. */
  readonly packages?: string;
};
export type GenerateManifestsOptions = {
  /** A module of the project. */
  readonly operator: string;
  /** Files or folders of recorded requests. */
  readonly requests: readonly string[];
  readonly out: string;
  readonly namespace?: string;
  readonly image?: string;
};
export type GenerateImageOptions = {
  /** An archive of the OCI image layout. */
  readonly base: string;
  readonly name: string;
  readonly command: string;
  readonly node: string;
  readonly out: string;
};
export type DemoOptions = ClusterChoice;
export type SchemaImportOptions = ClusterChoice & { readonly output: string };
/** An address to listen on: `:8081`, `127.0.0.1:8081`; undefined for `0`, which does not listen. */
export type BindAddress = { readonly host?: string; readonly port: number };
export type ProbeAddresses = {
  readonly healthProbeBindAddress?: BindAddress;
  readonly metricsBindAddress?: BindAddress;
};
export type DriftWebhookOptions = ClusterChoice &
  ProbeAddresses & {
    readonly host: string;
    readonly port: number;
    readonly certDir: string;
    readonly shutdownDelaySeconds: number;
    /** A YAML file with `backends`. */
    readonly config?: string;
  };
export type DriftControllerOptions = ClusterChoice &
  ProbeAddresses & {
    readonly webhookName: string;
    readonly webhookNamespace: string;
    readonly webhookServiceName: string;
    readonly leaderElect: boolean;
  };
export type DriftManifestsOptions = {
  /** A YAML file of Helm values. */
  readonly values?: string;
  readonly name: string;
  readonly namespace: string;
  readonly image: string;
};
export type DriftBackendOptions = { readonly addr?: BindAddress };
