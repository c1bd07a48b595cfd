import { appsv1, corev1, type KubeObject } from '@kubewright/kube';
import { expect, test, vi } from 'vitest';
import { Cluster } from './cluster.ts';

const PATIENCE = { timeout: 30_000 };

const web: appsv1.Deployment = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', namespace: 'default' },
  spec: {
    replicas: 4,
    selector: { matchLabels: { app: 'web' } },
    template: {
      metadata: { labels: { app: 'web' } },
      spec: { containers: [{ name: 'web', image: 'web:1' }] },
    },
  },
};

test('one line starts a cluster in which what is deployed becomes ready', async () => {
  await using cluster = await Cluster.start({ nodes: 2 });
  const client = cluster.client();
  await client.create(appsv1.deployments, web);
  await vi.waitFor(async () => {
    const { status } = await client.get(appsv1.deployments, { namespace: 'default', name: 'web' });
    expect(status?.readyReplicas).toBe(4);
  }, PATIENCE);
  const { items } = await client.list(corev1.pods, { namespace: 'default' });
  expect(new Set(items.map(({ spec }) => spec.nodeName))).toEqual(new Set(cluster.nodes.names));
  expect(cluster.nodes.names).toEqual(['node-1', 'node-2']);
});

test('it is what was asked for: an API alone', async () => {
  await using cluster = await Cluster.start({ nodes: 0, controllers: [], scheduler: false });
  const recording = cluster.server.recordRequests();
  await cluster.client().list(corev1.nodes);
  expect(recording.requests.map(({ path }) => path)).toEqual(['/api/v1/nodes']);
  expect(() => cluster.nodes.lose('node-1')).toThrow('there is no node node-1');
});

test('it serves kubectl where it should listen, and is gone when it is stopped', async () => {
  const cluster = await Cluster.start({ listen: true });
  expect(cluster.url).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/);
  expect(JSON.stringify(cluster.server.kubeconfig())).toContain(cluster.url);
  const again = Cluster.start({ listen: { port: Number(cluster.url?.split(':').at(-1)) } });
  await expect(again).rejects.toThrow('EADDRINUSE');
  await cluster.stop();
  await cluster.ended;
  const list = (): Promise<unknown> => cluster.client().list<KubeObject>(corev1.nodes);
  const after = await Cluster.start({ listen: { port: Number(cluster.url?.split(':').at(-1)) } });
  await after.stop();
  expect(list).toBeTypeOf('function');
});
