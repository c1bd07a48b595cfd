import { createApiServer } from '@kubewright/apiserver';
import { type Client, createClient } from '@kubewright/client';
import { corev1, type KubeObject } from '@kubewright/kube';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { startScheduler } from './start-scheduler.ts';

let stop: AbortController;
let server: ReturnType<typeof createApiServer>;
let client: Client;
let ended: Promise<void>;

beforeEach(async () => {
  stop = new AbortController();
  server = createApiServer();
  client = createClient(server.transport());
  const running = startScheduler({ connect: (user) => server.transport(user), signal: stop.signal });
  ({ ended } = running);
  await running.ready;
});
afterEach(async () => {
  stop.abort();
  await ended;
  await server.close();
});

async function addNode(
  name: string,
  allocatable = { cpu: '64', memory: '64Gi', pods: '110' },
): Promise<void> {
  await client.create<KubeObject>(corev1.nodes, {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name },
    status: { allocatable },
  });
  // A new node is not ready until somebody says so.
  await client.patch(corev1.nodes, { name }, { type: 'merge', body: { spec: { taints: null } } });
}

async function addPod(name: string, cpu: string): Promise<void> {
  await client.create<KubeObject>(corev1.pods, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'default' },
    spec: { containers: [{ name: 'a', image: 'a', resources: { requests: { cpu } } }] },
  });
}

function countEach(names: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

test('as the user that every cluster has a role for, it fills nodes evenly', async () => {
  for (let at = 0; at < 10; at++) await addNode(`n${at}`);
  for (let at = 0; at < 300; at++) await addPod(`p${at}`, '100m');
  const assigned = await vi.waitFor(
    async () => {
      const { items } = await client.list(corev1.pods);
      const nodes = items.map(({ spec }) => spec.nodeName ?? '');
      expect(nodes).not.toContain('');
      return nodes;
    },
    { timeout: 30_000, interval: 100 },
  );
  const counts = countEach(assigned);
  expect([...counts.values()]).toEqual(Array.from({ length: 10 }, () => 30));
});
