import { defined, withoutEnds } from '@kubewright/kube';
import { ANNOTATIONS, type ClassRuntime, type ClassRuntimeConfiguration, LABELS } from '../api.ts';
import type { AssignmentUnit, DeploymentUnit, FunctionUnit, OdgmUnit } from './messages.ts';

type Spec = ClassRuntime['spec'];
type Odgm = NonNullable<Spec['odgm_config']>;
type Routes = NonNullable<NonNullable<Odgm['invocations']>['fn_routes']>;
type Named = {
  readonly namespace: string;
  readonly name: string;
  readonly correlationId?: string | undefined;
};

/** The name of a deployment's class, as in the original. */
export function nameOfDeployment(id: string): string {
  return withoutEnds(id.toLowerCase().replaceAll(/[^a-z0-9-]/g, '-'), '-');
}

/** The class that a package manager wants. */
export function classOfUnit(
  unit: DeploymentUnit,
  { namespace, name, correlationId }: Named,
): ClassRuntimeConfiguration {
  return {
    apiVersion: 'oaas.io/v1alpha1',
    kind: 'ClassRuntime',
    metadata: {
      namespace,
      name,
      labels: { [LABELS.deployment]: name },
      ...(correlationId === undefined ? {} : { annotations: { [ANNOTATIONS.correlation]: correlationId } }),
    },
    spec: defined({
      package_class_key: `${unit.package_name}.${unit.class_key}`,
      selected_template: unit.selected_template,
      odgm_config: odgmOf(unit, name),
      functions: unit.functions.filter((each) => isDeployable(each)).map((each) => functionOf(each)),
      telemetry: unit.telemetry ?? undefined,
      nfr_requirements: unit.class_requirements ?? undefined,
      enforcement: unit.class_enforcement ?? undefined,
    }),
  };
}

/** As in the original, a function with neither image nor module is not deployed. */
function isDeployable({ provision_config }: FunctionUnit): boolean {
  const { container_image, wasm_module_url } = provision_config ?? {};
  return container_image !== undefined || wasm_module_url !== undefined;
}

function functionOf({ provision_config, ...rest }: FunctionUnit): Spec['functions'][number] {
  const { function_key, description, available_location, config } = rest;
  return defined({
    function_key,
    description,
    available_location,
    config,
    provision_config: provision_config ?? undefined,
  });
}

/** Without a configuration, one collection with the class's name. */
function odgmOf(unit: DeploymentUnit, name: string): Odgm | undefined {
  const config = unit.odgm_config;
  if (config !== null && config !== undefined) return givenOdgm(unit, config);
  if (unit.functions.length === 0) return undefined;
  return { collections: [name], partition_count: 1, replica_count: 1, shard_type: 'mst' };
}

function givenOdgm(unit: DeploymentUnit, config: OdgmUnit): Odgm {
  const { collections, partition_count = 1, replica_count = 1, shard_type, options, log } = config;
  return defined({
    collections: collections.length === 0 ? undefined : collections,
    partition_count,
    replica_count,
    shard_type,
    invocations: invocationsOf(unit, config),
    options: Object.keys(options).length === 0 ? undefined : options,
    log,
    env_node_ids: mapValues(config.env_node_ids, ({ ids }) => ids.map((id) => integerOf(id))),
    node_id: config.odgm_node_id === undefined ? undefined : integerOf(config.odgm_node_id),
    collection_assignments: mapValues(config.collection_assignments, ({ assignments }) =>
      assignments.map((each) => assignmentOf(each)),
    ),
  });
}

function invocationsOf(unit: DeploymentUnit, config: OdgmUnit): Odgm['invocations'] {
  const fn_routes = routesOf(unit, config);
  return fn_routes && { fn_routes, disabled_fn: config.invocations?.disabled_fn ?? [] };
}

/** Routes that are given, else one per binding. A route to a function has no URL: the template knows its address. */
function routesOf(
  { functions, function_bindings }: DeploymentUnit,
  { invocations }: OdgmUnit,
): Routes | undefined {
  const bindings = new Map(function_bindings.map(({ name, function_key }) => [name, function_key]));
  const keys = new Set(functions.map(({ function_key }) => function_key));
  const bound = (id: string, function_key: string | undefined, url: string) => {
    const key = function_key ?? bindings.get(id);
    return { url: key !== undefined && keys.has(key) ? '' : url, ...defined({ function_key: key }) };
  };
  if (invocations !== null && invocations !== undefined)
    return Object.fromEntries(
      Object.entries(invocations.fn_routes).map(([id, { url, function_key, active_group, ...rest }]) => {
        const group = (active_group ?? []).map((each) => integerOf(each));
        return [id, { ...defined(rest), active_group: group, ...bound(id, function_key, url) }];
      }),
    );
  const own = function_bindings.filter(({ function_key }) => keys.has(function_key));
  if (own.length === 0) return undefined;
  return Object.fromEntries(
    own.map(({ name, function_key, stateless }) => [
      name,
      { ...defined({ stateless }), standby: false, ...bound(name, function_key, '') },
    ]),
  );
}

function assignmentOf({ primary, replica, shard_ids }: AssignmentUnit) {
  return {
    ...(primary === undefined ? {} : { primary: integerOf(primary) }),
    replica: replica.map((id) => integerOf(id)),
    shard_ids: shard_ids.map((id) => integerOf(id)),
  };
}

/** Ids beyond 2^53 are integers of JSON like all others; the client writes a bigint without rounding it. */
function integerOf(text: string): number {
  const value = Number(text);
  return Number.isSafeInteger(value) ? value : (BigInt(text) as never);
}

function mapValues<A, B>(record: Readonly<Record<string, A>>, of: (value: A) => B): Record<string, B> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, of(value)]));
}
