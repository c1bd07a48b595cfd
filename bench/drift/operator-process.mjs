// The operator, built, of a checkout in a process of its own, which decides on the reviews that it is given.
// Arguments: the checkout, a kubeconfig. Orders, a line each: `review REQUEST`, `time CONCURRENCY TIMES REQUEST`, `writes`,
// `memory`.
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setImmediate as turn, setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';

const [checkout, kubeconfig] = process.argv.slice(2);
const load = (name) => import(pathToFileURL(join(checkout, 'packages', name, 'dist/index.js')).href);
const [runtime, { createClient, kubeconfigTransport, loadKubeconfig }, { driftParts }] = await Promise.all(
  ['runtime', 'client', 'operators'].map(load),
);

// As the command that runs operators, where the checkout has that.
runtime.tuneHeap?.();
const inner = kubeconfigTransport(await loadKubeconfig(kubeconfig));
const definitions = driftParts.resources.map(({ definition }) => definition);
await runtime.installDefinitions(createClient(inner), definitions, { fieldManager: 'bench' });

/** A review that the server makes for it changes nothing. */
const READ = /reviews$/;
let writes = 0;
const transport = {
  close: () => inner.close(),
  request(request) {
    if (request.method !== 'GET' && !READ.test(request.path)) writes += 1;
    return inner.request(request);
  },
};
const certificates = {
  current: () => ({ cert: '', key: '', notAfter: Infinity }),
  onChange: () => () => undefined,
};
const listening = Promise.withResolvers?.() ?? deferred();
const listen = async (_certificate, _address, handler) => {
  listening.resolve(handler);
  return { port: 0, use: () => undefined, stop: async () => undefined };
};
const manager = runtime.createManager({
  name: 'bench',
  transport,
  log: runtime.silentLogger,
  webhooks: { certificates, listen },
});
// What runs on every replica; the other part configures webhooks.
driftParts.parts[0].add(manager, {});
const stop = new AbortController();
const ended = manager.start(stop.signal);
await manager.cache.waitForSync(stop.signal);
const handle = await listening.promise;
const [path] = driftParts.webhooks.flatMap(({ webhooks }) =>
  webhooks.map((one) => one.clientConfig.service.path),
);

function deferred() {
  let resolve;
  const promise = new Promise((given) => {
    resolve = given;
  });
  return { promise, resolve };
}

async function decide(request) {
  const body = Buffer.from(
    `{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":${request}}`,
  );
  const headers = { 'content-type': 'application/json' };
  const gone = new AbortController();
  const call = { path, url: path, method: 'POST', headers, body: async () => body, signal: gone.signal };
  return (await handle(call)).body;
}

const orders = {
  async review(request) {
    const { response } = JSON.parse(await decide(request));
    await manager.cache.waitForSync(stop.signal);
    return response;
  },
  /** Milliseconds of each decision: as they come by sockets, one in a turn of the loop. */
  async time(order) {
    const [concurrency, times] = order.split(' ', 2);
    const request = order.slice(concurrency.length + times.length + 2);
    const took = [];
    for (let left = Number(times); left > 0; left -= Number(concurrency)) {
      const began = performance.now();
      const one = async () => {
        await turn();
        await decide(request);
        took.push(performance.now() - began);
      };
      await Promise.all(Array.from({ length: Number(concurrency) }, one));
    }
    return took;
  },
  writes: () => writes,
  /** V8 gives pages back a moment after a collection, and those that another one frees only then. */
  async memory() {
    for (let times = 0; times < 2; times++) {
      globalThis.gc();
      await delay(1000);
    }
    const { rss, heapUsed } = process.memoryUsage();
    return { rss, heapUsed };
  },
};

for await (const line of createInterface({ input: process.stdin })) {
  const [order] = line.split(' ', 1);
  process.stdout.write(`${JSON.stringify(await orders[order](line.slice(order.length + 1)))}\n`);
}
stop.abort();
await ended;
