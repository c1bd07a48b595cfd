import type { Client, ResourceRef } from '@kubewright/client';
import { defined, type Json, type JsonObject, type KubeObject, type Stored } from '@kubewright/kube';
import { type WaitOptions, waitForObject, type WebhookConfigurationRef } from '@kubewright/runtime';
import { FIELD_MANAGER, type InstallOptions, MANAGER, NAMESPACE } from './install-objects.ts';
import type { OperatorParts } from './operator.ts';

export type WebhookAddress = InstallOptions & {
  /** `https://HOST:PORT`, where an API server reaches the manager. Default: the Service {@link MANAGER}. */
  readonly url?: string;
};

const RESOURCES = {
  MutatingWebhookConfiguration: 'mutatingwebhookconfigurations',
  ValidatingWebhookConfiguration: 'validatingwebhookconfigurations',
} as const;

/** A kind that `OperatorParts.webhooks` may hold. */
type ConfigurationKind = keyof typeof RESOURCES;

/** The WebhookConfigurations of operators, with the manager's address in `clientConfig`. */
export function webhookConfigurations(
  operators: readonly OperatorParts[],
  address: WebhookAddress = {},
): readonly KubeObject[] {
  return operators
    .flatMap(({ webhooks = [] }) => webhooks)
    .map((configuration) => {
      const webhooks = (configuration['webhooks'] as readonly JsonObject[] | undefined) ?? [];
      return { ...configuration, webhooks: webhooks.map((webhook) => withAddress(webhook, address)) };
    });
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
  return operators
    .flatMap(({ webhooks = [] }) => webhooks)
    .map(({ kind, metadata: { name = '' } }) => ({ kind: kind as ConfigurationKind, name }));
}

/** The resource of a WebhookConfiguration. */
export function configurationResource(kind: ConfigurationKind): ResourceRef & { readonly resource: string } {
  const group = 'admissionregistration.k8s.io';
  return { group, version: 'v1', kind, resource: RESOURCES[kind], namespaced: false };
}

/**
 * Applies the WebhookConfigurations of operators whose manager runs. Resolves when each has its `caBundle`: from then
 * on calls succeed.
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
  for (const configuration of configurations) {
    const resource = configurationResource(configuration.kind as ConfigurationKind);
    await client.apply(resource, configuration, { fieldManager: FIELD_MANAGER, force: true, signal });
    const { name = '' } = configuration.metadata;
    await waitForObject(client, resource, { name }, isTrusted, wait);
  }
}

function isTrusted(configuration: Stored | undefined): boolean {
  const webhooks = (configuration?.['webhooks'] ?? []) as readonly {
    readonly clientConfig: { readonly caBundle?: string };
  }[];
  return (
    configuration !== undefined && webhooks.every(({ clientConfig }) => clientConfig.caBundle !== undefined)
  );
}
