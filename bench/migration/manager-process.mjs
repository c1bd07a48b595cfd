// The manager with the operator `migration` alone, built, in a process of its own: each part under its service account, its
// webhooks on loopback. Each line of input is answered with a line of JSON: when it works, its memory.
//
// Usage: node manager-process.mjs KUBECONFIG
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import {
  createClient,
  kubeconfigTransport,
  loadKubeconfig,
  withImpersonation,
  withRetry,
} from '@kubewright/client';
import {
  accountUser,
  installOperators,
  installWebhooks,
  LOOPBACK,
  MANAGER,
  migrationParts,
  servedWebhooks,
} from '@kubewright/operators';
import { createManager, silentLogger } from '@kubewright/runtime';

const admin = kubeconfigTransport(await loadKubeconfig(process.argv[2]));
const account = (name) => {
  const { username: user, groups } = accountUser(name);
  return withImpersonation(admin, { user, groups });
};
await installOperators(createClient(admin), [migrationParts]);
const webhooks = servedWebhooks([migrationParts], LOOPBACK);
const manager = createManager({
  name: MANAGER,
  transport: account(MANAGER),
  log: silentLogger,
  webhooks: webhooks.options,
});
for (const part of migrationParts.parts)
  part.add(manager.as(createClient(withRetry(account(part.account)))), process.env);
const stop = new AbortController();
const { signal } = stop;
const ended = manager.start(signal);
await Promise.race([manager.cache.waitForSync(signal), ended]);
const url = `https://${LOOPBACK.hosts[0]}:${await webhooks.port}`;
await installWebhooks(createClient(admin), [migrationParts], { url, signal });

const kilobytes = (field) =>
  Number(new RegExp(`${field}:\\s+(\\d+) kB`).exec(readFileSync('/proc/self/status', 'utf8'))?.[1]);
for await (const _line of createInterface({ input: process.stdin })) {
  const megabytes = { rss: kilobytes('VmRSS') / 1024, highestRss: kilobytes('VmHWM') / 1024 };
  process.stdout.write(`${JSON.stringify(megabytes)}\n`);
}
stop.abort();
await ended;
