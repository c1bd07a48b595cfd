import { canonicalJson, defined, type Json } from '@kubewright/kube';
import { LABELS, type OdgmConfig } from '../api.ts';
import { odgmNames } from './safe-name.ts';
import { otelEnv } from './otel-env.ts';
import { placementOf } from './placement-of.ts';
import { tcpProbes } from './probes-of.ts';
import { podTemplate } from './pod-template.ts';
import { peerOf, type Router, ZENOH_PORT } from './router-of.ts';
import { shardAssignments } from './shard-assignments.ts';
import type { Desired, Place, RenderedFunction } from './rendering.ts';

const HTTP = 8080;

type Labels = Readonly<Record<string, string>>;

/** The data grid of a class. It uses Recreate: two pods with one node id would own the same shards. */
export function odgmObjects(place: Place): readonly Desired[] {
  const { runtime } = place;
  const { name: owner, namespace } = runtime.metadata;
  const names = odgmNames(owner);
  const { package_class_key } = runtime.spec;
  const selector = { app: names.deployment, [LABELS.owner]: owner };
  const labels = {
    ...selector,
    ...(package_class_key === undefined ? {} : { [LABELS.class]: package_class_key }),
  };
  return [
    workloadOf(place, { name: names.deployment, namespace, labels }, selector),
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: names.service, namespace, labels },
      spec: {
        selector,
        ports: [
          { name: 'http', port: 80, targetPort: HTTP },
          { name: 'zenoh', port: ZENOH_PORT, targetPort: ZENOH_PORT },
        ],
      },
    },
  ];
}

/** As a StatefulSet, a pod of another template waits until the old one is gone, even where its node does not respond. */
function workloadOf(
  place: Place,
  metadata: { readonly name: string; readonly namespace: string; readonly labels: Labels },
  selector: Labels,
): Desired {
  const containers = [containerOf(place)];
  const { runtime, settings } = place;
  const template = podTemplate(
    metadata.labels,
    {},
    { containers, terminationGracePeriodSeconds: 30, ...placementOf(runtime, settings, metadata.labels) },
  );
  const spec = { replicas: 1, selector: { matchLabels: selector }, template };
  if (place.runtime.spec.odgm?.workload !== 'StatefulSet')
    return {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata,
      spec: { ...spec, strategy: { type: 'Recreate' } },
    };
  const serviceName = odgmNames(place.runtime.metadata.name).service;
  // Parallel: a pod that never gets ready does not keep its successor waiting.
  const stateful = { ...spec, serviceName, podManagementPolicy: 'Parallel' } as const;
  return { apiVersion: 'apps/v1', kind: 'StatefulSet', metadata, spec: stateful };
}

function containerOf(place: Place) {
  const { odgmPullPolicy, odgmImage = place.odgmImage } = place.settings;
  return {
    name: 'odgm',
    image: odgmImage,
    ...defined({ imagePullPolicy: odgmPullPolicy }),
    ports: [{ containerPort: HTTP }, { name: 'zenoh', containerPort: ZENOH_PORT }],
    ...tcpProbes(HTTP),
    env: Object.entries(envOf(place)).map(([name, value]) => ({ name, value })),
  };
}

/** A variable without a value would be an empty string, which the data grid cannot parse: it is omitted. */
function envOf({ runtime, settings, functions, router }: Place): Readonly<Record<string, string>> {
  const {
    metadata: { name },
    spec,
  } = runtime;
  const config = spec.odgm_config;
  // Ids beyond 2^53 are of type bigint, which cannot be subtracted from a number.
  const members = [...new Set(Object.values(config?.env_node_ids ?? {}).flat())].toSorted((a, b) =>
    a < b ? -1 : 1,
  );
  return defined({
    ODGM_CLUSTER_ID: name,
    ODGM_NODE_ID: config?.node_id === undefined ? undefined : String(config.node_id),
    ODGM_MEMBERS: members.length === 0 ? undefined : members.join(','),
    ...(config === undefined ? {} : collectionEnv(config, { runtime, functions })),
    ...(router === undefined ? {} : zenohEnv(router)),
    ...otelEnv(runtime, settings, odgmNames(name).deployment),
    OPRC_CLS_ID: spec.package_class_key,
    OPRC_DEPLOYMENT_ID: name,
  });
}

function zenohEnv(router: Router): Readonly<Record<string, string>> {
  return {
    OPRC_ZENOH_MODE: 'peer',
    OPRC_ZENOH_PORT: String(ZENOH_PORT),
    OPRC_ZENOH_PEERS: peerOf(router),
  };
}

type Routed = Pick<Place, 'runtime' | 'functions'>;

function collectionEnv(config: OdgmConfig, routed: Routed): Readonly<Record<string, string | undefined>> {
  const { collections = [], log } = config;
  if (collections.length === 0) return {};
  return {
    ODGM_COLLECTION: canonicalJson(collections.map((name) => collectionOf(name, config, routed)) as Json),
    ODGM_LOG: log,
  };
}

function collectionOf(name: string, config: OdgmConfig, routed: Routed): object {
  const { partition_count, replica_count, shard_type = 'none', options = {}, invocations = {} } = config;
  const assignments = new Map(Object.entries(config.collection_assignments ?? {}));
  return {
    name,
    partition_count,
    replica_count,
    shard_type,
    shard_assignments: shardAssignments(assignments.get(name) ?? [], config),
    options,
    invocations: {
      fn_routes: routesOf(invocations.fn_routes ?? {}, routed),
      disabled_fn: invocations.disabled_fn ?? [],
    },
  };
}

type Routes = NonNullable<NonNullable<OdgmConfig['invocations']>['fn_routes']>;

/** The user's routes, with defaults filled in, and one for each function that they do not name; of equal ids the first. */
function routesOf(routes: Routes, { runtime, functions }: Routed): object {
  const { namespace } = runtime.metadata;
  const predicted = functions
    .toReversed()
    .map((each) => [each.key.split('.').at(-1) ?? each.key, routeOf(predictedOf(each), namespace)]);
  const own = Object.entries(routes).map(([id, route]) => {
    const named = functions.find(({ key }) => key === route.function_key);
    const filled = route.url === '' && named !== undefined ? { ...route, ...predictedOf(named) } : route;
    return [id, routeOf(filled, namespace)];
  });
  return Object.fromEntries([...predicted, ...own]) as object;
}

function predictedOf({ url, spec }: RenderedFunction): Pick<Routes[string], 'url' | 'wasm_module_url'> {
  return { url, ...defined({ wasm_module_url: spec.provision_config?.wasm_module_url }) };
}

function routeOf({ function_key: _key, ...route }: Routes[string], namespace = ''): object {
  return {
    stateless: true,
    standby: false,
    active_group: [],
    ...route,
    url: qualified(route.url, namespace),
  };
}

/** `http://cart` is a Service of the class's namespace. */
function qualified(url: string, namespace: string): string {
  const [, host, rest = '/'] = /^http:\/\/([^./:]+)(?::80)?(\/.*)?$/.exec(url) ?? [];
  if (host === undefined) return url;
  return `http://${host}.${namespace}.svc.cluster.local${rest}${rest.endsWith('/') ? '' : '/'}`;
}
