import type { Client, ResourceRef } from '@kubewright/client';
import { corev1, defined, type Json, type JsonObject, type KubeObject, type Stored } from '@kubewright/kube';
import { type WaitOptions, waitForObject, type WebhookConfigurationRef } from '@kubewright/runtime';
import { FIELD_MANAGER, type InstallOptions, MANAGER, NAMESPACE } from './install-objects.ts';
import type { OperatorParts } from './operator.ts';

export type WebhookAddress = InstallOptions & {
  /** `https://HOST:PORT`, where an API server reaches the manager. Default: the Service {@link MANAGER}. */
  readonly url?: string;
};

const ADMISSION = 'admissionregistration.k8s.io';
const RESOURCES = {
  MutatingWebhookConfiguration: { group: ADMISSION, resource: 'mutatingwebhookconfigurations' },
  ValidatingWebhookConfiguration: { group: ADMISSION, resource: 'validatingwebhookconfigurations' },
  APIService: { group: 'apiregistration.k8s.io', resource: 'apiservices' },
} as const;

/** A kind that `OperatorParts.webhooks` or `apiServices` may hold. */
type ConfigurationKind = keyof typeof RESOURCES;

/** The WebhookConfigurations and APIServices of operators, with the manager's address. */
export function webhookConfigurations(
  operators: readonly OperatorParts[],
  address: WebhookAddress = {},
): readonly KubeObject[] {
  return configurationsOf(operators).map((configuration) => {
    if (configuration.kind === 'APIService') return withService(configuration, address);
    const webhooks = (configuration['webhooks'] as readonly JsonObject[] | undefined) ?? [];
    return { ...configuration, webhooks: webhooks.map((webhook) => withAddress(webhook, address)) };
  });
}

function configurationsOf(operators: readonly OperatorParts[]): readonly KubeObject[] {
  return operators.flatMap(({ webhooks = [], apiServices = [] }) => [...webhooks, ...apiServices]);
}

/** An APIService names a Service, whatever the address: of a URL it has the port. */
function withService(service: KubeObject, { namespace = NAMESPACE, url }: WebhookAddress): KubeObject {
  const port = url === undefined ? {} : { port: Number(new URL(url).port) };
  const spec = { ...(service['spec'] as JsonObject), service: { namespace, name: MANAGER, ...port } };
  return { ...service, spec };
}

/** The Service of APIServices whose server is called by URL: APIServices have none. */
function serviceFor(url: string, namespace: string): corev1.Service {
  const { hostname } = new URL(url);
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: MANAGER, namespace },
    spec: { type: 'ExternalName', externalName: hostname === '127.0.0.1' ? 'localhost' : hostname },
  };
}

function withAddress(webhook: JsonObject, { namespace = NAMESPACE, url }: WebhookAddress): Json {
  const { service: declared, ...config } = (webhook['clientConfig'] ?? {}) as JsonObject;
  const service = (declared ?? {}) as { readonly path?: string };
  const address =
    url === undefined
      ? { service: { ...service, namespace, name: MANAGER } }
      : { url: `${url}${service.path ?? ''}` };
  return { ...webhook, clientConfig: { ...config, ...address } };
}

/** Their names, for the upkeep of `caBundle`. */
export function webhookConfigurationRefs(
  operators: readonly OperatorParts[],
): readonly (WebhookConfigurationRef & { readonly kind: ConfigurationKind })[] {
  return configurationsOf(operators).map(({ kind, metadata: { name = '' }, ...rest }) => ({
    kind: kind as ConfigurationKind,
    name,
    ...(kind === 'APIService' ? {} : { paths: pathsOf(rest['webhooks']) }),
  }));
}

function pathsOf(webhooks: unknown): Readonly<Record<string, string>> {
  const declared = webhooks as readonly {
    readonly name: string;
    readonly clientConfig: { readonly service?: { readonly path?: string } };
  }[];
  return Object.fromEntries(
    declared.flatMap(({ name, clientConfig: { service } }) =>
      service?.path === undefined ? [] : [[name, service.path]],
    ),
  );
}

/** The resource of a WebhookConfiguration or an APIService. */
export function configurationResource(kind: ConfigurationKind): ResourceRef & { readonly resource: string } {
  return { ...RESOURCES[kind], version: 'v1', kind, namespaced: false };
}

/**
 * Applies the WebhookConfigurations and APIServices of operators whose manager runs. Resolves when each has its
 * `caBundle`: from then on calls succeed.
 */
export async function installWebhooks(
  client: Client,
  operators: readonly OperatorParts[],
  { namespace, url, ...wait }: WebhookAddress & WaitOptions,
): Promise<void> {
  const { signal } = wait;
  const configurations = webhookConfigurations(operators, {
    ...defined({ namespace, url }),
  });
  const write = { fieldManager: FIELD_MANAGER, force: true, signal };
  if (url !== undefined && configurations.some(({ kind }) => kind === 'APIService'))
    await client.apply(corev1.services, serviceFor(url, namespace ?? NAMESPACE), write);
  for (const configuration of configurations) {
    const resource = configurationResource(configuration.kind as ConfigurationKind);
    await client.apply(resource, configuration, write);
    const { name = '' } = configuration.metadata;
    await waitForObject(client, resource, { name }, isTrusted, wait);
  }
}

/** Whether the manager has written its authority: from then on calls succeed. */
export function isTrusted(configuration: Stored | undefined): boolean {
  if (configuration?.kind === 'APIService')
    return (configuration['spec'] as JsonObject)['caBundle'] !== undefined;
  const webhooks = (configuration?.['webhooks'] ?? []) as readonly {
    readonly clientConfig: { readonly caBundle?: string };
  }[];
  return (
    configuration !== undefined && webhooks.every(({ clientConfig }) => clientConfig.caBundle !== undefined)
  );
}
