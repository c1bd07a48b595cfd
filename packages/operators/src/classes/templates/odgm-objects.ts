import { canonicalJson, defined, type Json } from '@kubewright/kube';
import { LABELS, type OdgmConfig } from '../api.ts';
import { odgmNames } from './safe-name.ts';
import { podTemplate } from './pod-template.ts';
import type { Desired, Place, RenderedFunction } from './rendering.ts';

const HTTP = 8080;
const ZENOH = 17447;

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
  const container = containerOf(place);
  return [
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: names.deployment, namespace, labels },
      spec: {
        replicas: 1,
        strategy: { type: 'Recreate' },
        selector: { matchLabels: selector },
        template: podTemplate(labels, {}, { containers: [container], terminationGracePeriodSeconds: 30 }),
      },
    },
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: names.service, namespace, labels },
      spec: {
        selector,
        ports: [
          { name: 'http', port: 80, targetPort: HTTP },
          { name: 'zenoh', port: ZENOH, targetPort: ZENOH },
        ],
      },
    },
  ];
}

function containerOf({ runtime, settings, template, functions }: Place) {
  const { odgmPullPolicy, odgmImage = template.odgmImage } = settings;
  return {
    name: 'odgm',
    image: odgmImage,
    ...defined({ imagePullPolicy: odgmPullPolicy }),
    ports: [{ containerPort: HTTP }, { name: 'zenoh', containerPort: ZENOH }],
    env: Object.entries(envOf(runtime, functions)).map(([name, value]) => ({ name, value })),
  };
}

/** A variable without a value would be an empty string, which the data grid cannot parse: it is omitted. */
function envOf(
  { metadata: { name }, spec }: Place['runtime'],
  functions: readonly RenderedFunction[],
): Readonly<Record<string, string>> {
  const config = spec.odgm_config;
  const members = [...new Set(Object.values(config?.env_node_ids ?? {}).flat())].toSorted((a, b) => a - b);
  return defined({
    ODGM_CLUSTER_ID: name,
    ODGM_NODE_ID: config?.node_id === undefined ? undefined : String(config.node_id),
    ODGM_MEMBERS: members.length === 0 ? undefined : members.join(','),
    ...(config === undefined ? {} : collectionEnv(config, functions)),
    OPRC_CLS_ID: spec.package_class_key,
    OPRC_DEPLOYMENT_ID: name,
  });
}

function collectionEnv(
  config: OdgmConfig,
  functions: readonly RenderedFunction[],
): Readonly<Record<string, string | undefined>> {
  const { collections = [], log } = config;
  if (collections.length === 0) return {};
  return {
    ODGM_COLLECTION: canonicalJson(collections.map((name) => collectionOf(name, config, functions)) as Json),
    ODGM_LOG: log,
    OPRC_ZENOH_MODE: 'peer',
    OPRC_ZENOH_PORT: String(ZENOH),
  };
}

function collectionOf(name: string, config: OdgmConfig, functions: readonly RenderedFunction[]): object {
  const { partition_count, replica_count, shard_type = 'none', options = {}, invocations = {} } = config;
  return {
    name,
    partition_count,
    replica_count,
    shard_type,
    shard_assignments: [],
    options,
    invocations: {
      fn_routes: routesOf(invocations.fn_routes ?? {}, functions),
      disabled_fn: invocations.disabled_fn ?? [],
    },
  };
}

type Routes = NonNullable<NonNullable<OdgmConfig['invocations']>['fn_routes']>;

/** The user's routes, with defaults filled in, and one for each function that they do not name. */
function routesOf(routes: Routes, functions: readonly RenderedFunction[]): object {
  const predicted = functions.map(({ key, url }) => [key.split('.').at(-1) ?? key, routeOf({ url })]);
  const own = Object.entries(routes).map(([id, route]) => {
    const url = route.url === '' ? functions.find(({ key }) => key === route.function_key)?.url : undefined;
    return [id, routeOf({ ...route, ...defined({ url }) })];
  });
  return Object.fromEntries([...predicted, ...own]) as object;
}

function routeOf({ function_key: _key, ...route }: Routes[string]): object {
  return { stateless: true, standby: false, active_group: [], ...route };
}
