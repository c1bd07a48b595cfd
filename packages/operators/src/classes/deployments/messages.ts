import type { ClassRuntime } from '../api.ts';

// Messages as they arrive: absent fields of proto3 are undefined or their default; 64-bit integers are text.

type Text = string | undefined;

/** `oaas.deployment.DeploymentUnit` */
export type DeploymentUnit = {
  readonly id: string;
  readonly package_name: string;
  readonly class_key: string;
  readonly functions: readonly FunctionUnit[];
  readonly target_env: string;
  readonly function_bindings: readonly Binding[];
  readonly created_at?: Timestamp | undefined;
  readonly odgm_config?: OdgmUnit | null | undefined;
  readonly selected_template?: Text;
  readonly telemetry?: ClassRuntime['spec']['telemetry'] | null;
  readonly class_requirements?: ClassRuntime['spec']['nfr_requirements'] | null;
  readonly class_enforcement?: ClassRuntime['spec']['enforcement'] | null;
};

type ProvisionConfig = NonNullable<ClassRuntime['spec']['functions'][number]['provision_config']>;

export type FunctionUnit = {
  readonly function_key: string;
  readonly description?: Text;
  readonly available_location?: Text;
  readonly provision_config?: ProvisionConfig | null | undefined;
  readonly config?: Readonly<Record<string, string>>;
};

type Binding = {
  readonly name: string;
  readonly function_key: string;
  readonly stateless?: boolean | undefined;
};

type RouteUnit = {
  readonly url: string;
  readonly stateless?: boolean | undefined;
  readonly standby?: boolean | undefined;
  readonly active_group?: readonly string[];
  readonly function_key?: Text;
};

export type OdgmUnit = {
  readonly collections: readonly string[];
  readonly partition_count?: number | undefined;
  readonly replica_count?: number | undefined;
  readonly shard_type?: Text;
  readonly invocations?:
    | { readonly fn_routes: Readonly<Record<string, RouteUnit>>; readonly disabled_fn: readonly string[] }
    | null
    | undefined;
  readonly options: Readonly<Record<string, string>>;
  readonly log?: Text;
  readonly env_node_ids: Readonly<Record<string, { readonly ids: readonly string[] }>>;
  readonly odgm_node_id?: Text;
  readonly collection_assignments: Readonly<
    Record<string, { readonly assignments: readonly AssignmentUnit[] }>
  >;
};

export type AssignmentUnit = {
  readonly primary?: Text;
  readonly replica: readonly string[];
  readonly shard_ids: readonly string[];
};

export type Timestamp = { readonly seconds: string; readonly nanos: number };

/** Of a request that names a class by the id of its deployment. */
export type ById = { readonly deployment_id: string };

export type ListRequest = {
  readonly package_name?: Text;
  readonly class_key?: Text;
  readonly target_env?: Text;
  readonly status?: Text;
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
};
