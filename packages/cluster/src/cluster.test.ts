import { readFileSync } from 'node:fs';
import { createManualClock } from '@kubewright/client';
import { appsv1, corev1 } from '@kubewright/kube';
import { waitForObject } from '@kubewright/runtime';
import { expect, test } from 'vitest';
import { Cluster } from './cluster.ts';

const deployment: appsv1.Deployment = {
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
  await client.create(appsv1.deployments, deployment);
  const key = { namespace: 'default', name: 'web' };
  await waitForObject(client, appsv1.deployments, key, (now) => now?.status?.readyReplicas === 4);

  const { items } = await client.list(corev1.pods, { namespace: 'default' });
  expect(new Set(items.map(({ spec }) => spec.nodeName))).toEqual(new Set(['node-1', 'node-2']));
  expect(cluster.nodes.names).toEqual(['node-1', 'node-2']);
});

test('its kubelets answer: for logs, and through the API server’s proxy', async () => {
  await using cluster = await Cluster.start();
  const client = cluster.client();
  const metadata = { namespace: 'default', name: 'web' };
  const spec = { containers: [{ name: 'web', image: 'web:1' }] };
  await client.create(corev1.pods, { apiVersion: 'v1', kind: 'Pod', metadata, spec });
  await waitForObject(client, corev1.pods, metadata, (pod) => pod?.status?.phase === 'Running');

  const read = async (path: string): Promise<string> => {
    const { body } = await cluster.transport().request({ method: 'GET', path, headers: {} });
    const chunks: Uint8Array[] = [];
    for await (const chunk of body) chunks.push(chunk);
    return Buffer.concat(chunks).toString();
  };
  expect(await read('/api/v1/namespaces/default/pods/web/log')).toBe('web: started from web:1, attempt 0\n');
  expect(await read('/api/v1/nodes/node-1/proxy/healthz')).toBe('ok');
});

test('the README shows how, line by line', () => {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
  const shown = /```ts\n(?:import .*\n)+\n(await using[^`]*)```/.exec(readme)?.[1] ?? '';
  const here = readFileSync(new URL(import.meta.url), 'utf8').replaceAll(/^ {2}/gm, '');
  expect(shown).toContain('Cluster.start(');
  expect(here).toContain(shown);
});

test('it is what was asked for: an API alone', async () => {
  await using cluster = await Cluster.start({ nodes: 0, controllers: [], scheduler: false, storage: false });
  const recording = cluster.server.recordRequests();
  await cluster.client().list(corev1.nodes);
  expect(recording.requests.map(({ path }) => path)).toEqual(['/api/v1/nodes']);
  expect(() => cluster.nodes.lose('node-1')).toThrow('there is no node node-1');
});

test('it serves HTTPS where it should listen, and is gone when it is stopped', async () => {
  const cluster = await Cluster.start({ listen: true });
  const port = Number(cluster.url?.split(':').at(-1));
  expect(JSON.stringify(cluster.server.kubeconfig())).toContain(`https://127.0.0.1:${port}`);
  await expect(Cluster.start({ listen: { port } })).rejects.toThrow('EADDRINUSE');
  await cluster.stop();
  await cluster.ended;
  const next = await Cluster.start({ listen: { port } });
  await next.stop();
});

test('a quarter of an hour in which nothing changes: nodes say that they live, and nobody looks at any object', async () => {
  const clock = createManualClock();
  const [cluster] = await Promise.all([Cluster.start({ nodes: 2, clock }), clock.advance(60_000)]);
  await using _ = cluster;
  const client = cluster.client();
  await client.create(appsv1.deployments, deployment);
  const key = { namespace: 'default', name: 'web' };
  const readyOf = async () => (await client.get(appsv1.deployments, key)).status?.readyReplicas;
  while ((await readyOf()) !== 4) await clock.advance(1000);
  await clock.advance(60_000);

  const recording = cluster.server.recordRequests();
  await clock.advance(15 * 60_000);
  const seen = recording.requests.map(({ method, path }) =>
    path.includes('watch=true') ? 'watch' : `${method} ${path.split('?', 1)[0]}`,
  );
  const lease = (node: string) =>
    `PUT /apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/${node}`;
  const status = (node: string) => `PATCH /api/v1/nodes/${node}/status`;
  const nodes = cluster.nodes.names.flatMap((node) => [lease(node), status(node)]);
  // Watches end after five to ten minutes and go on where they were; what is served is asked for every 30 s.
  expect(new Set(seen)).toEqual(new Set([...nodes, 'watch', 'GET /api', 'GET /apis']));
});
