import { type ApiServer, createApiServer } from '@kubewright/apiserver';
import { type Client, createClient } from '@kubewright/client';
import { corev1, discoveryv1, type JsonObject, parseApiVersion } from '@kubewright/kube';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { GUARD_WEBHOOKS, guardConfiguration, guardParts } from './testing/guard.ts';
import { isUncalled, requireNoService } from './webhook-callers.ts';

const GUARD = { name: 'guard', parts: guardParts };
const KEY = { namespace: 'default', name: 'manager' };
const { signal } = new AbortController();

let server: ApiServer;
let client: Client;
beforeEach(() => {
  server = createApiServer();
  client = createClient(server.transport());
});
afterEach(() => server.close());

/** The webhook of the operator `guard`, called at an address. */
async function install(address: JsonObject): Promise<void> {
  const { apiVersion, kind } = guardConfiguration;
  const webhooks = GUARD_WEBHOOKS.map((webhook) => ({ ...webhook, clientConfig: address }));
  await client.create({ ...parseApiVersion(apiVersion), kind }, { ...guardConfiguration, webhooks });
}
const expose = (spec: corev1.Service['spec']) =>
  client.create(corev1.services, { apiVersion: 'v1', kind: 'Service', metadata: KEY, ...(spec && { spec }) });
const replica = (ready: boolean) =>
  client.create(discoveryv1.endpointslices, {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { ...KEY, labels: { 'kubernetes.io/service-name': KEY.name } },
    addressType: 'IPv4',
    endpoints: [{ addresses: ['10.0.0.1'], conditions: { ready } }],
    ports: [],
  });

test('DRF-107 what is not installed is not called', async () => {
  expect(await isUncalled(client, GUARD, signal)).toBe(true);
  await requireNoService(client, [GUARD], signal);
});

test('DRF-107 a URL is called, and may be another one', async () => {
  await install({ url: 'https://127.0.0.1:9443/guard' });
  expect(await isUncalled(client, GUARD, signal)).toBe(false);
  await requireNoService(client, [GUARD], signal);
});

test('DRF-107 a Service is called where a replica is ready behind it', async () => {
  await install({ service: KEY });
  expect(await isUncalled(client, GUARD, signal)).toBe(true);
  await expose({ ports: [{ port: 443 }] });
  await replica(false);
  expect(await isUncalled(client, GUARD, signal)).toBe(true);
  await client.delete(discoveryv1.endpointslices, KEY);
  await replica(true);
  expect(await isUncalled(client, GUARD, signal)).toBe(false);
  await expect(requireNoService(client, [GUARD], signal)).rejects.toThrow(
    'ValidatingWebhookConfiguration guard calls a Service: operators are installed in the cluster. ' +
      'Run without --webhook-url, or first: kubectl delete validatingwebhookconfiguration guard',
  );
});

test('DRF-107 so is one that names another host', async () => {
  await install({ service: KEY });
  await expose({ type: 'ExternalName', externalName: 'manager.example.com' });
  expect(await isUncalled(client, GUARD, signal)).toBe(false);
});

test('DRF-107 whoever may not read who is called runs what others have installed', async () => {
  const nobody = createClient(server.transport({ username: 'nobody', groups: ['system:authenticated'] }));
  expect(await isUncalled(nobody, GUARD, signal)).toBe(false);
});
