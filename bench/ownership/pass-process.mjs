// The operator, built, of a checkout in a process of its own, which says what its reconciles of slices cost.
// Arguments: the checkout, a kubeconfig. Orders, a line each: `seen`, `memory`.
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { join } from 'node:path';

const [checkout, kubeconfig] = process.argv.slice(2);
const load = (name) => import(pathToFileURL(join(checkout, 'packages', name, 'dist/index.js')).href);
const [runtime, client, { ownershipParts }] = await Promise.all(['runtime', 'client', 'operators'].map(load));

const inner = client.kubeconfigTransport(await client.loadKubeconfig(kubeconfig));
let requests = 0;
const transport = {
  close: () => inner.close(),
  request(request) {
    const isCounted = /\/(configmaps|resourceslices)/.test(request.path) && !request.path.includes('watch=');
    if (isCounted) requests += 1;
    return inner.request(request);
  },
};
const manager = runtime.createManager({ name: 'bench', transport, log: runtime.silentLogger });
for (const part of ownershipParts.parts) part.add(manager, {});
const stop = new AbortController();
const ended = manager.start(stop.signal);
await manager.cache.waitForSync(stop.signal);

async function reconciles() {
  const metrics = await manager.registry.getMetricsAsJSON();
  const { values = [] } =
    metrics.find(({ name }) => name === 'controller_runtime_reconcile_time_seconds') ?? {};
  const of = (suffix) =>
    values
      .filter(
        ({ metricName, labels }) => metricName?.endsWith(suffix) && labels.controller === 'resourceslice',
      )
      .reduce((sum, { value }) => sum + value, 0);
  return { count: of('_count'), ms: of('_sum') * 1000 };
}

const orders = {
  async seen() {
    const { user, system } = process.cpuUsage();
    return { ...(await reconciles()), requests, cpu: (user + system) / 1000, idle: manager.idle() };
  },
  memory() {
    globalThis.gc();
    const { rss, heapUsed } = process.memoryUsage();
    return { rss, heapUsed };
  },
};

for await (const line of createInterface({ input: process.stdin }))
  process.stdout.write(`${JSON.stringify(await orders[line]())}\n`);
stop.abort();
await ended;
