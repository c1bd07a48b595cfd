// The cluster of the benchmark, as it is built, in a process of its own. Responds to each order on standard input with a
// line of JSON.
import { createInterface } from 'node:readline';
import { setImmediate } from 'node:timers/promises';
import { Cluster } from '@kubewright/cluster';
import { corev1 } from '@kubewright/kube';
import { CLASS_RUNTIMES } from '@kubewright/operators';
import { requestCounts } from './request-counts.mjs';

const [classes, functions] = process.argv.slice(2).map(Number);
const NODES = 40;
const AT_ONCE = 20;
const NAMESPACE = 'bench';

const cluster = await Cluster.start({ nodes: NODES, listen: true });
const client = cluster.client();
for (const name of ['kubewright', NAMESPACE])
  await client.create(corev1.namespaces, {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name },
    spec: {},
  });

const classOf = (index) => ({
  apiVersion: 'oaas.io/v1alpha1',
  kind: 'ClassRuntime',
  metadata: { name: `class-${index}`, namespace: NAMESPACE },
  spec: {
    addons: [],
    functions: Array.from({ length: functions }, (_, each) => ({
      function_key: `f${each}`,
      provision_config: { container_image: 'registry.example/function:1' },
    })),
  },
});

async function createAll() {
  let next = 0;
  const createSome = async () => {
    for (let index = next++; index < classes; index = next++) {
      // Calls in the process of the server must not keep those of the manager waiting.
      await setImmediate();
      await client.create(CLASS_RUNTIMES, classOf(index));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, createSome));
}

/** Resolves when all classes are available at once. */
async function untilAvailable(resourceVersion) {
  const available = new Set();
  const watch = client.watch(CLASS_RUNTIMES, { namespace: NAMESPACE, resourceVersion });
  for await (const { object } of watch) {
    if (object.status?.phase === 'available') available.add(object.metadata.name);
    else available.delete(object.metadata.name);
    if (available.size === classes) return;
  }
}

async function run() {
  const { resourceVersion } = await client.list(CLASS_RUNTIMES, { namespace: NAMESPACE });
  const recording = cluster.server.recordRequests();
  const cpuBefore = process.cpuUsage();
  const began = performance.now();
  await Promise.all([createAll(), untilAvailable(resourceVersion)]);
  const seconds = (performance.now() - began) / 1000;
  const { user, system } = process.cpuUsage(cpuBefore);
  recording.stop();
  return { seconds, cpuSeconds: (user + system) / 1e6, ...requestCounts(recording.requests, classes) };
}

/** What is written until the next order, but Leases and the Events of elections, and statuses of nodes. */
let recording;
const record = () => {
  recording = cluster.server.recordRequests();
  return {};
};
const recorded = () => {
  recording.stop();
  return recording.requests
    .filter(
      ({ method, path }) =>
        method !== 'GET' && !/\/leases|=leader-election$|\/nodes\/[^/]+\/status/.test(path),
    )
    .map(({ method, path }) => `${method} ${path}`);
};

const orders = { kubeconfig: () => cluster.server.kubeconfig(), run, record, recorded };
for await (const order of createInterface({ input: process.stdin }))
  process.stdout.write(`${JSON.stringify(await orders[order]())}\n`);
await cluster.stop();
