// A cluster in a process of its own: nothing else counts towards its memory. Prints what was measured as one line of JSON.
import { constants, PerformanceObserver } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { Cluster } from '@kubewright/cluster';
import { appsv1, corev1 } from '@kubewright/kube';

const [deployments, replicas, idleMs] = process.argv.slice(2).map(Number);
const NODES = 40;
const AT_ONCE = 20;
const SETTLE_MS = 5000;
const COLLECTED_BY_MS = 90_000;

const deployment = (index) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: `web-${index}`, namespace: `team-${index % 20}` },
  spec: {
    replicas,
    selector: { matchLabels: { app: `web-${index}` } },
    template: {
      metadata: { labels: { app: `web-${index}` } },
      spec: {
        containers: [{ name: 'web', image: 'registry.example/web:1' }],
      },
    },
  },
});

const cluster = await Cluster.start({ nodes: NODES });
const client = cluster.client();
for (let team = 0; team < 20; team++)
  await client.create(corev1.namespaces, {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: `team-${team}` },
  });

const megabytes = (bytes) => bytes / 1024 / 1024;
const cpuBegun = process.cpuUsage();
const begun = performance.now();
let next = 0;
const createSome = async () => {
  for (let index = next++; index < deployments; index = next++)
    await client.create(appsv1.deployments, deployment(index));
};
await Promise.all(Array.from({ length: AT_ONCE }, createSome));
const created = performance.now();
const isReady = ({ spec, status = {} }) => status.readyReplicas === replicas && spec.replicas === replicas;
for (;;) {
  const { items } = await client.list(appsv1.deployments);
  if (items.filter(isReady).length === deployments) break;
  await delay(500);
}
const ready = performance.now();
const busy = process.cpuUsage(cpuBegun);
const rss = megabytes(process.memoryUsage.rss());
// V8 gives back what the start left behind when it has been quiet for a while, once, in a few seconds of work. Rest
// begins when that is over.
const cpuLeft = process.cpuUsage();
globalThis.gc();
await Promise.race([majorCollection(), delay(COLLECTED_BY_MS, undefined, { ref: false })]);
await delay(SETTLE_MS);
const collecting = process.cpuUsage(cpuLeft);

const recording = cluster.server.recordRequests();
const cpuBefore = process.cpuUsage();
await delay(idleMs);
const { user, system } = process.cpuUsage(cpuBefore);
const writes = recording.requests.filter(({ method }) => method !== 'GET');
const isHeartbeat = ({ path }) => path.includes('/leases/') || /\/nodes\/[^/]+\/status/.test(path);
const paths = writes.filter((write) => !isHeartbeat(write)).map(({ method, path }) => `${method} ${path}`);
process.stdout.write(
  `${JSON.stringify({
    createdSeconds: (created - begun) / 1000,
    readySeconds: (ready - begun) / 1000,
    cpuSeconds: (busy.user + busy.system) / 1e6,
    rss,
    highestRss: process.resourceUsage().maxRSS / 1024,
    idleCpuPercent: ((user + system) / 1000 / idleMs) * 100,
    collectionSeconds: (collecting.user + collecting.system) / 1e6,
    idleRss: megabytes(process.memoryUsage.rss()),
    heartbeats: writes.filter(isHeartbeat).length,
    writes: paths,
  })}\n`,
);
await cluster.stop();

function majorCollection() {
  return new Promise((resolve) => {
    const collections = new PerformanceObserver((list) => {
      if (!list.getEntries().some(({ detail }) => detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR))
        return;
      collections.disconnect();
      resolve();
    });
    collections.observe({ entryTypes: ['gc'] });
  });
}
