import { defined } from '@kubewright/kube';
import { ANNOTATIONS, LABELS } from '../api.ts';
import { isEnforced } from '../enforcement-mode.ts';
import { odgmNames } from './safe-name.ts';
import { otelEnv } from './otel-env.ts';
import { podTemplate } from './pod-template.ts';
import { peerOf } from './router-of.ts';
import type { Desired, Place, RenderedFunction } from './rendering.ts';

const ENFORCED = { [ANNOTATIONS.enforced]: 'replicas' };

/** A function's Deployment and Service; nothing for a WASM function, which runs in the data grid. */
export function functionObjects({ workload, spec }: RenderedFunction, place: Place): readonly Desired[] {
  if (workload === undefined) return [];
  const { runtime } = place;
  const { name: owner, namespace } = runtime.metadata;
  const provision = spec.provision_config ?? {};
  const containerPort = provision.port ?? 80;
  const labels = { app: workload, [LABELS.owner]: owner };
  const metadata = { name: workload, namespace, labels };
  const container = {
    name: 'function',
    image: provision.container_image ?? '',
    ports: [{ containerPort }],
    ...resourcesOf(provision),
    ...envOf(spec.config ?? {}, platformEnv(place)),
  };
  const annotations = provision.need_http2 === true ? { [ANNOTATIONS.http2]: 'true' } : {};
  return [
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: isEnforced(runtime) ? { ...metadata, annotations: ENFORCED } : metadata,
      spec: {
        replicas: provision.min_scale ?? 1,
        selector: { matchLabels: labels },
        template: podTemplate(labels, annotations, { containers: [container] }),
      },
    },
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata,
      spec: { selector: labels, ports: [{ name: 'http', port: 80, targetPort: containerPort }] },
    },
  ];
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
