import { ApiError, type Client, ignoreNotFound } from '@kubewright/client';
import { corev1, discoveryv1, type JsonObject } from '@kubewright/kube';
import { configurationResource, webhookConfigurationRefs } from '@kubewright/operators';
import { KubewrightError } from '../kubewright-error.ts';
import type { LoadedOperator } from './operator-health.ts';

type Service = { readonly namespace?: string; readonly name: string };
type Live = { readonly kind: string; readonly name: string; readonly services: readonly Service[] };

/**
 * Rejects where the webhooks of operators call a Service: they run in the cluster, and a server accepts no webhook with
 * both a Service and a URL.
 */
export async function requireNoService(
  client: Client,
  operators: readonly LoadedOperator[],
  signal: AbortSignal,
): Promise<void> {
  const live = await readConfigurations(client, operators, signal);
  const taken = live.find(({ services }) => services.length > 0);
  if (taken === undefined) return;
  const { kind, name } = taken;
  throw new KubewrightError(
    'Refused',
    `${kind} ${name} calls a Service: operators are installed in the cluster. Run without --webhook-url, or first: kubectl delete ${kind.toLowerCase()} ${name}`,
  );
}

/** Whether nothing calls the webhooks of an operator: none is installed, or it calls a Service that leads nowhere. */
export async function isUncalled(
  client: Client,
  operator: LoadedOperator,
  signal: AbortSignal,
): Promise<boolean> {
  const wanted = webhookConfigurationRefs([operator.parts]);
  try {
    const live = await readConfigurations(client, [operator], signal);
    if (live.length < wanted.length) return true;
    const services = live.flatMap((one) => one.services);
    const served = await Promise.all(services.map((service) => isServed(client, service, signal)));
    return served.includes(false);
  } catch (error) {
    // Whoever may not read that runs what somebody else has installed.
    if (error instanceof ApiError && error.code === 403) return false;
    throw error;
  }
}

async function readConfigurations(
  client: Client,
  operators: readonly LoadedOperator[],
  signal: AbortSignal,
): Promise<readonly Live[]> {
  const refs = webhookConfigurationRefs(operators.map(({ parts }) => parts));
  const found = await Promise.all(
    refs
      .filter(({ kind }) => kind !== 'APIService')
      .map(async ({ kind, name }) => {
        const live = await ignoreNotFound(client.get(configurationResource(kind), { name }, { signal }));
        return live === undefined ? [] : [{ kind, name, services: servicesOf(live) }];
      }),
  );
  return found.flat();
}

function servicesOf(configuration: JsonObject): readonly Service[] {
  const webhooks = (configuration['webhooks'] ?? []) as readonly {
    readonly clientConfig?: { readonly service?: Service };
  }[];
  return webhooks.flatMap(({ clientConfig }) =>
    clientConfig?.service == null ? [] : [clientConfig.service],
  );
}

async function isServed(
  client: Client,
  { namespace = '', name }: Service,
  signal: AbortSignal,
): Promise<boolean> {
  // What it names is outside of the cluster, too, and has no EndpointSlices.
  const live = await ignoreNotFound(client.get(corev1.services, { namespace, name }, { signal }));
  if (live?.spec?.type === 'ExternalName') return true;
  const labelSelector = `kubernetes.io/service-name=${name}`;
  const { items } = await client.list(discoveryv1.endpointslices, { namespace, labelSelector, signal });
  return items.some(({ endpoints }) =>
    (endpoints ?? []).some(({ conditions }) => conditions?.ready !== false),
  );
}
