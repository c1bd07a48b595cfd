import { readFileSync } from 'node:fs';
import type { Client } from '@kubewright/client';
import { Cluster } from '@kubewright/cluster';
import { admissionregistrationv1, type KubeObject, parseApiVersion } from '@kubewright/kube';
import { parseYamlStream } from '@kubewright/kube/yaml';
import { silentLogger, waitForObject } from '@kubewright/runtime';
import { createOperator, operator } from '../../src/operator.ts';
import { webhookConfiguration, webhookPath } from '../../src/sample-webhook.ts';
import { isRecording, recorded } from './recorded.ts';

const NAMESPACE = `${operator.name}-system`;
const HOST = '127.0.0.1';
const CONFIGURATIONS = admissionregistrationv1.validatingwebhookconfigurations;

export type RunningOperator = {
  /** An administrator's. */
  readonly client: Client;
  stop(): Promise<void>;
};

/** Starts a cluster with one node, and the operator as it is installed: with its account, its rights and its webhooks. */
export async function startOperator(): Promise<RunningOperator> {
  const cluster = await Cluster.start({ nodes: 1 });
  const client = cluster.client();
  await applyAccess(client);
  const stopped = new AbortController();
  let listening: (port: number) => void = () => undefined;
  const port = new Promise<number>((resolve) => (listening = resolve));
  const manager = createOperator({
    namespace: NAMESPACE,
    transport: recorded(cluster.transport(account())),
    webhooks: { host: HOST, port: 0, onListening: listening },
    log: silentLogger,
  });
  const running = manager.start(stopped.signal);
  // What fails before it serves ends the test at once.
  await installWebhooks(client, await Promise.race([port, running.then(() => 0)]));
  return {
    client,
    async stop() {
      stopped.abort();
      await running;
      await cluster.stop();
    },
  };
}

/** Its service account; with all rights while it is seen which of them it needs. */
function account(): { username: string; groups: readonly string[] } {
  const groups = ['system:serviceaccounts', `system:serviceaccounts:${NAMESPACE}`, 'system:authenticated'];
  return {
    username: `system:serviceaccount:${NAMESPACE}:${operator.name}`,
    groups: isRecording ? [...groups, 'system:masters'] : groups,
  };
}

/** `manifests/access.yaml`: the namespace, the account, its roles. */
async function applyAccess(client: Client): Promise<void> {
  const file = new URL('../../manifests/access.yaml', import.meta.url);
  const objects = isRecording
    ? [{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } }]
    : (parseYamlStream(readFileSync(file, 'utf8')) as unknown as readonly KubeObject[]);
  for (const object of objects) {
    const { apiVersion, kind } = object;
    await client.apply({ ...parseApiVersion(apiVersion), kind }, object, { fieldManager: 'test' });
  }
}

/** In a cluster they are reached by a Service, here by the loopback. Resolves when the API server trusts them. */
async function installWebhooks(client: Client, port: number): Promise<void> {
  const clientConfig = { url: `https://${HOST}:${port}${webhookPath}` };
  const webhooks = (webhookConfiguration['webhooks'] as readonly object[]).map((webhook) => ({
    ...webhook,
    clientConfig,
  }));
  await client.create<KubeObject>(CONFIGURATIONS, { ...webhookConfiguration, webhooks });
  const { name = '' } = webhookConfiguration.metadata;
  await waitForObject(client, CONFIGURATIONS, { name }, (live) =>
    (live?.webhooks ?? []).every(({ clientConfig: { caBundle = '' } }) => caBundle !== ''),
  );
}
