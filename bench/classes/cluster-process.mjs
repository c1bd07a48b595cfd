// The cluster of the benchmark, as a checkout has built it, in a process of its own. Responds to each order on standard
// input with a line of JSON. Arguments: the checkout, classes, functions of each, namespaces.
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setImmediate } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { requestCounts } from './request-counts.mjs';

const [checkout, ...numbers] = process.argv.slice(2);
const [classes, functions, namespaces] = numbers.map(Number);
const NODES = 40;
const AT_ONCE = 20;

const load = (name) => import(pathToFileURL(join(checkout, 'packages', name, 'dist/index.js')).href);
const [{ Cluster }, { corev1 }, { CLASS_RUNTIMES }] = await Promise.all(
  ['cluster', 'kube', 'operators'].map(load),
);

const namespaceOf = (index) => `bench-${index % namespaces}`;
const cluster = await Cluster.start({ nodes: NODES, listen: true });
const client = cluster.client();
for (const name of ['kubewright', ...Array.from({ length: namespaces }, (_, index) => namespaceOf(index))])
  await client.create(corev1.namespaces, {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name },
    spec: {},
  });

const classOf = (index) => ({
  apiVersion: 'oaas.io/v1alpha1',
  kind: 'ClassRuntime',
  metadata: { name: `class-${index}`, namespace: namespaceOf(index) },
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
  const watch = client.watch(CLASS_RUNTIMES, { resourceVersion });
  for await (const { object } of watch) {
    if (object.status?.phase === 'available') available.add(object.metadata.name);
    else available.delete(object.metadata.name);
    if (available.size === classes) return;
  }
}

async function run() {
  const { resourceVersion } = await client.list(CLASS_RUNTIMES);
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
// Also while classes that nobody makes available any more are waited for.
const input = createInterface({ input: process.stdin }).once('close', () => process.exit());
for await (const order of input) process.stdout.write(`${JSON.stringify(await orders[order]())}\n`);
