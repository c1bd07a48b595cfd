// The manager with the operator `migration` alone, built, in a process of its own: each part under its service account, its
// webhooks on loopback. Each line of input is answered with a line of JSON: when it works, its memory. A line that is the JSON
// of `{ when, step, epoch }` makes it end as by SIGKILL right before or after the server has that step of a handover.
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

let crash;

/** Whether a call records the step at which to end. */
function isDue({ method, path, body }) {
  if (crash === undefined || method !== 'PATCH' || !/\/statefulmigrations\/[^/]+\/status/.test(path))
    return false;
  const { step, handover } = JSON.parse(Buffer.from(body).toString()).at(-1).value;
  return step === crash.step && handover?.epoch === crash.epoch;
}

function end() {
  process.kill(process.pid, 'SIGKILL');
  return new Promise(() => {});
}

function withCrash(inner) {
  return {
    close: () => inner.close(),
    async request(call) {
      const isLast = isDue(call);
      if (isLast && crash.when === 'before') await end();
      const response = await inner.request(call);
      if (isLast) await end();
      return response;
    },
  };
}

const admin = withCrash(kubeconfigTransport(await loadKubeconfig(process.argv[2])));
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
  part.add(manager.as(createClient(withRetry(account(part.account)))), {
    MS2M_BROKERS: '127.0.0.1',
    ...process.env,
  });
const stop = new AbortController();
const { signal } = stop;
const ended = manager.start(signal);
await Promise.race([manager.cache.waitForSync(signal), ended]);
const url = `https://${LOOPBACK.hosts[0]}:${await webhooks.port}`;
await installWebhooks(createClient(admin), [migrationParts], { url, signal });

const kilobytes = (field) =>
  Number(new RegExp(`${field}:\\s+(\\d+) kB`).exec(readFileSync('/proc/self/status', 'utf8'))?.[1]);
for await (const line of createInterface({ input: process.stdin })) {
  if (line.startsWith('{')) crash = JSON.parse(line);
  const megabytes = { rss: kilobytes('VmRSS') / 1024, highestRss: kilobytes('VmHWM') / 1024 };
  process.stdout.write(`${JSON.stringify(megabytes)}\n`);
}
stop.abort();
await ended;
