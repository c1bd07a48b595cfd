// A cache of our runtime, built, in a process of its own, filled with all pods, managedFields dropped. Prints as a line of
// JSON how long that took and how much memory the process has then, garbage collected.
//
// Usage: node --expose-gc kubewright-process.mjs KUBECONFIG
import { readFileSync } from 'node:fs';
import { createClient, kubeconfigTransport, loadKubeconfig } from '@kubewright/client';
import { corev1 } from '@kubewright/kube';
import { createCache, dropManagedFields, silentLogger, systemClock, systemRandom } from '@kubewright/runtime';

const transport = kubeconfigTransport(await loadKubeconfig(process.argv[2]));
const cache = createCache({
  client: createClient(transport),
  clock: systemClock,
  random: systemRandom,
  log: silentLogger,
});
cache.informer(corev1.pods, { transform: dropManagedFields });

const stop = new AbortController();
const cpu = process.cpuUsage();
const began = performance.now();
const running = cache.start(stop.signal);
await cache.waitForSync();
const syncSeconds = (performance.now() - began) / 1000;
const { user, system } = process.cpuUsage(cpu);
const highestRss = process.resourceUsage().maxRSS * 1024;
// What one collection frees of buffers the next gives back.
globalThis.gc();
await new Promise(setImmediate);
globalThis.gc();
const answer = {
  objects: cache.list(corev1.pods).length,
  syncSeconds,
  cpuSeconds: (user + system) / 1e6,
  rss: rss(),
  highestRss,
  heap: process.memoryUsage().heapUsed,
};
process.stdout.write(`${JSON.stringify(answer)}\n`);
stop.abort();
await running;
await transport.close();

function rss() {
  const [, kilobytes] = /VmRSS:\s+(\d+) kB/.exec(readFileSync('/proc/self/status', 'utf8'));
  return Number(kilobytes) * 1024;
}
