import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate, setTimeout as delay } from 'node:timers/promises';
import { Cluster } from '@kubewright/cluster';
import { corev1 } from '@kubewright/kube';
import { CLASS_RUNTIMES } from '@kubewright/operators';
import type { Comparison } from '../comparison.ts';
import { startManager } from './start-manager.ts';

const CLASSES = 1000;
const FUNCTIONS = 3;
const NODES = 40;
const AT_ONCE = 20;
const NAMESPACE = 'bench';
const SETTLE_MS = 10_000;
const IDLE_MS = 30_000;

/** A cluster in this process and a manager with the operator in another: how soon many classes work, and what is written then. */
export async function benchClasses(): Promise<Comparison> {
  const cluster = await Cluster.start({ nodes: NODES, listen: true });
  const directory = mkdtempSync(join(tmpdir(), 'kubewright-bench-'));
  const kubeconfig = join(directory, 'kubeconfig');
  writeFileSync(kubeconfig, JSON.stringify(cluster.server.kubeconfig()), { mode: 0o600 });
  for (const name of ['kubewright', NAMESPACE]) await createNamespace(cluster, name);
  let manager = await startManager(kubeconfig);
  const before = process.cpuUsage();
  try {
    const seconds = await Promise.race([untilAvailable(cluster), manager.failed]);
    const { cpuSeconds, rss } = manager.used();
    const { user, system } = process.cpuUsage(before);
    const clusterSeconds = (user + system) / 1e6;
    await delay(SETTLE_MS);
    const idle = await writesIn(cluster, () => delay(IDLE_MS));
    const restart = await writesIn(cluster, async () => {
      await manager.stop();
      manager = await startManager(kubeconfig);
      await delay(SETTLE_MS);
    });
    for (const write of [...idle, ...restart].slice(0, 10)) console.error(`written at rest: ${write}`);
    const budget = { target: 1, better: 'less' } as const;
    const none = { theirs: 1, target: 0, better: 'less' } as const;
    return {
      title: `${CLASSES} ClassRuntimes of ${FUNCTIONS} functions on the embedded cluster (beside it: what it may)`,
      sides: ['classes', 'at most'],
      rows: [
        { name: 'all Available', unit: 's', ours: seconds, theirs: 120, ...budget },
        { name: 'the cluster on a core', unit: 's', ours: clusterSeconds, theirs: 120, ...budget },
        { name: 'the manager on a core', unit: 's', ours: cpuSeconds, theirs: 120, ...budget },
        { name: 'its memory', unit: 'MB', ours: rss, theirs: 512, ...budget },
        { name: `writes in ${IDLE_MS / 1000} s of rest`, unit: 'calls', ours: idle.length, ...none },
        { name: 'writes after a restart', unit: 'calls', ours: restart.length, ...none },
      ],
    };
  } finally {
    await manager.stop();
    await cluster.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}

function createNamespace(cluster: Cluster, name: string): Promise<unknown> {
  return cluster
    .client()
    .create(corev1.namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name }, spec: {} });
}

/** Seconds from the first class to the last that is available. */
async function untilAvailable(cluster: Cluster): Promise<number> {
  const client = cluster.client();
  const began = performance.now();
  let next = 0;
  const createSome = async (): Promise<void> => {
    for (let index = next++; index < CLASSES; index = next++) {
      // Calls in the process of the server must not keep those of the manager waiting.
      await setImmediate();
      await client.create(CLASS_RUNTIMES, {
        apiVersion: 'oaas.io/v1alpha1',
        kind: 'ClassRuntime',
        metadata: { name: `class-${index}`, namespace: NAMESPACE },
        spec: {
          addons: [],
          functions: Array.from({ length: FUNCTIONS }, (_, each) => ({
            function_key: `f${each}`,
            provision_config: { container_image: 'registry.example/function:1' },
          })),
        },
      });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, createSome));
  for (;;) {
    const { items } = await client.list(CLASS_RUNTIMES, { namespace: NAMESPACE });
    if (items.filter(({ status }) => status?.phase === 'available').length === CLASSES) break;
    await delay(500);
  }
  return (performance.now() - began) / 1000;
}

/** What is written meanwhile, but Leases and the Events of elections, and statuses of nodes. */
async function writesIn({ server }: Cluster, run: () => Promise<void>): Promise<readonly string[]> {
  const recording = server.recordRequests();
  await run();
  recording.stop();
  return recording.requests
    .filter(
      ({ method, path }) =>
        method !== 'GET' && !/\/leases|=leader-election$|\/nodes\/[^/]+\/status/.test(path),
    )
    .map(({ method, path }) => `${method} ${path}`);
}
