import { Socket } from 'node:net';
import { createClient } from '@kubewright/client';
import { Cluster, WorkerRuntime } from '@kubewright/cluster';
import { admissionregistrationv1, corev1, type Transport } from '@kubewright/kube';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { call } from '../../support/api.ts';
import { isReady, NodeStory } from '../nodes/node-story.ts';

const IMAGE = 'registry.example/server:v1';
const PATIENT = { timeout: 60_000, interval: 50 };

describe('the network of a cluster in this process', () => {
  const dialled: string[] = [];
  let workers: WorkerRuntime;
  let cluster: Cluster;
  let transport: Transport;
  let story: NodeStory;
  let unwatch: () => void;

  beforeAll(async () => {
    unwatch = watchDials((address) => dialled.push(address));
    workers = new WorkerRuntime({
      images: { [IMAGE]: new URL('./workers/server.mjs', import.meta.url) },
      server: () => cluster.url,
    });
    cluster = await Cluster.start({ nodes: { nodes: 2, runtimes: [workers] }, listen: true });
    transport = cluster.transport();
  });
  afterAll(async () => {
    await cluster.stop();
    await workers.close();
    unwatch();
    expect([...new Set(dialled)]).toEqual(['127.0.0.1']);
  });
  beforeEach(async () => {
    story = await NodeStory.begin(transport);
    const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'web' } } as const;
    const { namespace } = story;
    await story.client.create(corev1.serviceaccounts, { ...account, metadata: { name: 'web', namespace } });
  });

  const text = async (path: string): Promise<string> => {
    const { status, body } = await call(transport, 'GET', `/api/v1/namespaces/${story.namespace}/${path}`);
    const { text: answer = '', message = answer } = body as Readonly<Record<string, string>>;
    return `${status} ${message}`;
  };
  const serve = (name: string) =>
    story.run(name, {
      serviceAccountName: 'web',
      containers: [
        {
          name: 'main',
          image: IMAGE,
          ports: [{ name: 'http', containerPort: 8080 }],
          readinessProbe: { httpGet: { path: '/ready', port: 'http' } },
        },
      ],
    });
  const log = (name: string): Promise<string> => text(`pods/${name}/log`);

  test('containers of two pods listen on the same port, each at the address of its pod', async () => {
    await serve('one');
    await serve('two');
    for (const name of ['one', 'two']) {
      await vi.waitFor(async () => expect(await log(name)).toContain('the second one gets'), PATIENT);
      expect(await log(name)).toBe('200 listens on 8080\nthe second one gets EADDRINUSE\n');
      const { status } = await story.client.get(corev1.pods, story.key(name));
      expect(await text(`pods/${name}:8080/proxy/path`)).toBe(`200 ${name} ${status?.podIP}:8080 /path`);
    }
    expect(await text('pods/one:8081/proxy/')).toMatch(
      /^503 .*dial tcp 10\.\d+\.\d+\.\d+:8081: connect: connection refused$/,
    );
  });

  test('a container is ready when its probe succeeds, and not before', async () => {
    await serve('one');
    await vi.waitFor(async () => expect(await text('pods/one:8080/proxy/')).toMatch(/^200/), PATIENT);
    expect(isReady(await story.client.get(corev1.pods, story.key('one')))).toBe(false);
    expect(await text('pods/one:8080/proxy/begin')).toMatch(/^200/);
    await story.until('one', isReady);
  });

  test('a container acts as the service account of its pod', async () => {
    await serve('one');
    await vi.waitFor(async () => expect(await log('one')).toContain('listens'), PATIENT);
    expect(await text('pods/one:8080/proxy/whoami')).toBe(`200 system:serviceaccount:${story.namespace}:web`);
  });

  test('a webhook that no pod serves is refused at once, by the address of its Service', async () => {
    const { namespace, client } = story;
    const service = await client.create(corev1.services, {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'hooks', namespace },
      spec: { selector: { app: 'none' }, ports: [{ port: 443 }] },
    });
    const webhook = {
      name: 'checks.example.org',
      clientConfig: { service: { name: 'hooks', namespace } },
      rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }],
      namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
    } as const;
    await client.create(admissionregistrationv1.validatingwebhookconfigurations, {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingWebhookConfiguration',
      metadata: { name: namespace },
      webhooks: [webhook],
    });
    const config = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'any', namespace } } as const;
    await expect(createClient(transport).create(corev1.configmaps, config)).rejects.toThrow(
      `dial tcp ${service.spec?.clusterIP}:443: connect: connection refused`,
    );
  });
});

/** Each address that a socket of this thread connects to. Returns what ends it. */
function watchDials(seen: (address: string) => void): () => void {
  const connect = Reflect.get(Socket.prototype, 'connect') as () => Socket;
  const spy = vi.spyOn(Socket.prototype, 'connect').mockImplementation(function watched(
    this: Socket,
    ...args: readonly unknown[]
  ) {
    this.on('connectionAttempt', seen);
    return Reflect.apply(connect, this, args);
  });
  return () => spy.mockRestore();
}
