import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { JsonObject, Transport } from '@kubewright/kube';
import { expect, test } from 'vitest';
import { http2Transport } from '../../../test/support/http2-transport.ts';
import { runs } from '../../../test/support/seeds.ts';
import { type ApiServer, createApiServer } from './api-server.ts';
import { caller, watchEvents } from './testing/call.ts';

const SERVERS = runs(5);
const MAPS = '/api/v1/namespaces/default/configmaps';
const TOKEN = 'the-same-everywhere';
const ROOT = { username: 'root', groups: ['system:masters'] };

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** What is left reachable when all that can be collected has been. */
async function settledHeap(): Promise<number> {
  for (let round = 0; round < 3; round += 1) {
    await new Promise((resolve) => setImmediate(resolve));
    collectGarbage();
  }
  return process.memoryUsage().heapUsed;
}

type Running = { readonly server: ApiServer; readonly transport: Transport };

async function start(): Promise<Running> {
  const server = createApiServer({ users: [{ token: TOKEN, user: ROOT }] });
  const { url, caCert } = await server.listen();
  return { server, transport: http2Transport(url, caCert, TOKEN) };
}

/** Each gets an object and a watcher of its own, and must hear of nothing else. */
async function use({ server, transport }: Running, index: number): Promise<readonly unknown[]> {
  const stop = new AbortController();
  const events = watchEvents(transport, `${MAPS}?watch=1`, stop.signal);
  const first = events.next();
  await caller(server.transport())('POST', MAPS, { metadata: { name: `of-${index}` } });
  const { value } = await first;
  stop.abort();
  const { json } = await caller(transport)('GET', MAPS);
  const names = (json['items'] as JsonObject[]).map(({ metadata }) => (metadata as JsonObject)['name']);
  return [names, ((value as JsonObject)['object'] as JsonObject)['metadata']];
}

test(`${SERVERS} servers in one process know nothing of each other, and leave nothing when they are closed`, async () => {
  // What the first one loads is shared by all.
  const warm = await start();
  await warm.transport.close();
  await warm.server.close();
  const resources = process.getActiveResourcesInfo().length;
  let kept: WeakRef<ApiServer>[] = [];

  await (async () => {
    const running = await Promise.all(Array.from({ length: SERVERS }, start));
    kept = running.map(({ server }) => new WeakRef(server));
    const seen = await Promise.all(running.map(use));
    expect(seen).toMatchObject(running.map((_, index) => [[`of-${index}`], { name: `of-${index}` }]));
    await Promise.all(running.map(({ transport }) => transport.close()));
    await Promise.all(running.map(({ server }) => server.close()));
  })();

  const patience = { timeout: 30_000 };
  await expect.poll(() => process.getActiveResourcesInfo().length, patience).toBeLessThanOrEqual(resources);
  await expect
    .poll(async () => {
      await settledHeap();
      return kept.filter((server) => server.deref() !== undefined).length;
    }, patience)
    .toBe(0);
});
