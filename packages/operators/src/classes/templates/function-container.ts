import { type ApplyConfiguration, type corev1, defined } from '@kubewright/kube';
import type { Place, RenderedFunction } from './rendering.ts';
import { odgmNames } from './safe-name.ts';
import { otelEnv } from './otel-env.ts';
import { peerOf } from './router-of.ts';

type Port = NonNullable<corev1.Container['ports']>[number];
type Container = NonNullable<NonNullable<ApplyConfiguration<corev1.Pod>['spec']>['containers']>[number];

/** The container of a function, with one port. */
export function functionContainer({ spec }: RenderedFunction, place: Place, port: Port): Container {
  const provision = spec.provision_config ?? {};
  return {
    name: 'function',
    image: provision.container_image ?? '',
    ports: [port],
    ...resourcesOf(provision),
    ...envOf(spec.config ?? {}, platformEnv(place)),
  };
}

function platformEnv({ runtime, settings, hasOdgm, router }: Place): Readonly<Record<string, string>> {
  const { name } = runtime.metadata;
  return {
    ...(hasOdgm ? { ODGM_ENABLED: 'true', ODGM_SERVICE: `${odgmNames(name).service}:80` } : {}),
    ...(router === undefined ? {} : { OPRC_ZENOH_MODE: 'client', OPRC_ZENOH_PEERS: peerOf(router) }),
    ...otelEnv(runtime, settings, name),
  };
}

/** Sorted by name; the user's values take precedence. */
function envOf(
  config: Readonly<Record<string, string>>,
  platform: Readonly<Record<string, string>>,
): { readonly env?: readonly { readonly name: string; readonly value: string }[] } {
  const env = Object.entries({ ...platform, ...config })
    .map(([name, value]) => ({ name, value }))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
  return env.length === 0 ? {} : { env };
}

type Quantities = Readonly<
  Partial<Record<'cpu_request' | 'memory_request' | 'cpu_limit' | 'memory_limit', string>>
>;

function resourcesOf({ cpu_request, memory_request, cpu_limit, memory_limit }: Quantities) {
  const requests = defined({ cpu: cpu_request, memory: memory_request });
  const limits = defined({ cpu: cpu_limit, memory: memory_limit });
  const parts = { ...(isEmpty(requests) ? {} : { requests }), ...(isEmpty(limits) ? {} : { limits }) };
  return isEmpty(parts) ? {} : { resources: parts };
}

function isEmpty(object: object): boolean {
  return Object.keys(object).length === 0;
}
