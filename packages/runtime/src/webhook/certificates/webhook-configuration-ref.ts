import { type Client, ignoreNotFound, type ResourceRef } from '@kubewright/client';
import { getOwn, isJsonArray, isJsonObject, type Json, type KubeObject } from '@kubewright/kube';

/** A reference to an object with a `caBundle`: by which the API server verifies the webhook server. */
export type WebhookConfigurationRef = {
  readonly kind:
    | 'MutatingWebhookConfiguration'
    | 'ValidatingWebhookConfiguration'
    | 'CustomResourceDefinition'
    | 'APIService';
  readonly name: string;
};

const ADMISSION = { group: 'admissionregistration.k8s.io', version: 'v1', namespaced: false };

export const CONFIGURATION_RESOURCES: Readonly<Record<WebhookConfigurationRef['kind'], ResourceRef>> = {
  MutatingWebhookConfiguration: {
    ...ADMISSION,
    resource: 'mutatingwebhookconfigurations',
    kind: 'MutatingWebhookConfiguration',
  },
  ValidatingWebhookConfiguration: {
    ...ADMISSION,
    resource: 'validatingwebhookconfigurations',
    kind: 'ValidatingWebhookConfiguration',
  },
  CustomResourceDefinition: {
    group: 'apiextensions.k8s.io',
    version: 'v1',
    namespaced: false,
    resource: 'customresourcedefinitions',
    kind: 'CustomResourceDefinition',
  },
  APIService: {
    group: 'apiregistration.k8s.io',
    version: 'v1',
    namespaced: false,
    resource: 'apiservices',
    kind: 'APIService',
  },
};

/** One `caBundle` in a configuration: its path, and its text before base64 (empty where there is none). */
type CaBundlePlace = { readonly path: string; readonly caBundle: string };

/** A configuration as it was read. */
export type ReadConfiguration = {
  readonly ref: WebhookConfigurationRef;
  readonly resourceVersion: string;
  readonly places: readonly CaBundlePlace[];
};

/** Undefined: there is no such object. */
export async function readConfiguration(
  client: Client,
  ref: WebhookConfigurationRef,
  signal: AbortSignal,
): Promise<ReadConfiguration | undefined> {
  const { kind, name } = ref;
  const object = await ignoreNotFound(client.get(CONFIGURATION_RESOURCES[kind], { name }, { signal }));
  if (object === undefined) return undefined;
  return { ref, resourceVersion: object.metadata.resourceVersion, places: placesOf(kind, object) };
}

function placesOf(kind: WebhookConfigurationRef['kind'], object: KubeObject): readonly CaBundlePlace[] {
  const from: Json = object;
  if (kind === 'CustomResourceDefinition')
    return placeAt(from, ['spec', 'conversion', 'webhook', 'clientConfig']);
  if (kind === 'APIService') return placeAt(from, ['spec']);
  const webhooks = at(from, 'webhooks');
  if (!isJsonArray(webhooks)) return [];
  return webhooks.flatMap((_webhook, index) => placeAt(from, ['webhooks', String(index), 'clientConfig']));
}

/** Without a `clientConfig` there is no webhook to call. */
function placeAt(from: Json, steps: readonly string[]): readonly CaBundlePlace[] {
  const client = steps.reduce<Json | undefined>(at, from);
  if (!isJsonObject(client)) return [];
  const encoded = getOwn(client, 'caBundle');
  const caBundle = typeof encoded === 'string' ? Buffer.from(encoded, 'base64').toString() : '';
  return [{ path: `/${steps.join('/')}/caBundle`, caBundle }];
}

function at(from: Json | undefined, step: string): Json | undefined {
  if (isJsonArray(from)) return from[Number(step)];
  return isJsonObject(from) ? getOwn(from, step) : undefined;
}

/**
 * Writes the caBundles that differ, and nothing else. Guarded by the resourceVersion: rejects with a conflict when the
 * configuration has changed since, because another replica may have written a newer bundle.
 */
export async function writeCaBundle(
  client: Client,
  { ref, resourceVersion, places }: ReadConfiguration,
  caBundle: string,
  signal: AbortSignal,
): Promise<void> {
  const value = Buffer.from(caBundle).toString('base64');
  const changes = places
    .filter((place) => place.caBundle !== caBundle)
    .map(({ path }) => ({ op: 'add', path, value }));
  if (changes.length === 0) return;
  const guard = { op: 'replace', path: '/metadata/resourceVersion', value: resourceVersion };
  const { kind, name } = ref;
  await client.patch(
    CONFIGURATION_RESOURCES[kind],
    { name },
    { type: 'json', body: [guard, ...changes] },
    { signal },
  );
}
