import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@kubewright/client';
import { corev1, isConditionTrue, type KubeObject } from '@kubewright/kube';
import { InProcessBroker, serveAmqp, STATEFUL_MIGRATIONS } from '@kubewright/operators';
import { waitForObject } from '@kubewright/runtime';
import { type Attack, inputs } from './attack.ts';
import type { Installation } from './installation.ts';

const [EDITORS, OTHERS, POD] = ['silent-brokers', 'honest-broker', 'source'] as const;
const WAVES = [50, 375];
/** How long an honest migration may take beside all of them. In their own namespace it is one of many; others take turns with that. */
const MOST_HONEST_MS = { [EDITORS]: 30_000, [OTHERS]: 5000 };
/** By then each has a status: one look at each takes half a dozen requests. */
const MOST_STATUS_MS = 30_000;
/** More than the longest pause between two attempts to reach a broker. */
const CALM_MS = 8000;

/** Somebody who may create migrations names brokers that take connections and say nothing. */
export const silentBrokers: Attack = {
  name: 'silent-brokers',
  about: 'an editor of a namespace creates migrations that name silent brokers, and deletes them',
  env: { MS2M_BROKERS: '127.0.0.1' },
  async play(installation) {
    const silent = await SilentServer.open();
    const core = new InProcessBroker();
    core.declareExchange('orders', 'direct');
    const honest = await serveAmqp(core);
    try {
      for (const namespace of [EDITORS, OTHERS]) await runSource(installation, namespace);
      const effects: string[] = [];
      let tried = 0;
      for (const [wave, many] of WAVES.entries()) {
        const count = inputs(many);
        effects.push(...(await playWave(installation, { wave, count, silent, honest: honest.url })));
        tried += count;
      }
      return { inputs: tried, effects: [...effects, ...(await dialledNow(silent))] };
    } finally {
      silent.close();
      await honest.close();
    }
  },
};

type Wave = {
  readonly wave: number;
  readonly count: number;
  readonly silent: SilentServer;
  readonly honest: string;
};

async function playWave(
  { client }: Installation,
  { wave, count, silent, honest }: Wave,
): Promise<readonly string[]> {
  const effects: string[] = [];
  for (let index = 0; index < count; index++) {
    // Half of them name the same address, the others one each: of a virtual host of their own.
    const path = index % 2 === 0 ? '' : `/${wave}-${index}`;
    await create(client, EDITORS, `silent-${wave}-${index}`, `amqp://127.0.0.1:${silent.port}${path}`);
  }
  const statuses = hasStatuses(client, count);
  for (const namespace of [EDITORS, OTHERS] as const) {
    const name = `honest-${wave}`;
    await create(client, namespace, name, honest);
    const began = performance.now();
    const isOver = (live: { readonly status?: { readonly phase?: string } } | undefined): boolean =>
      live?.status?.phase === 'Rejected';
    await waitForObject(client, STATEFUL_MIGRATIONS, { namespace, name }, isOver, { timeoutMs: 120_000 });
    const ms = performance.now() - began;
    if (ms > MOST_HONEST_MS[namespace])
      effects.push(`an honest migration in ${namespace}, beside ${count}, waited for ${Math.round(ms)} ms`);
  }
  const ms = await statuses;
  if (ms > MOST_STATUS_MS) effects.push(`${count} migrations had a status after ${Math.round(ms)} ms`);
  await deleteAll(client);
  return effects;
}

/** Milliseconds until all that name a silent broker have a condition. */
async function hasStatuses(client: Client, count: number): Promise<number> {
  const began = performance.now();
  for (;;) {
    const { items } = await client.list(STATEFUL_MIGRATIONS, { namespace: EDITORS });
    const those = items.filter(({ metadata }) => metadata.name.startsWith('silent-'));
    const having = those.filter(({ status }) => (status?.conditions ?? []).length > 0);
    const ms = performance.now() - began;
    if (having.length >= count || ms > 120_000) return ms;
    await sleep(200);
  }
}

async function deleteAll(client: Client): Promise<void> {
  for (const namespace of [EDITORS, OTHERS])
    for (const { metadata } of (await client.list(STATEFUL_MIGRATIONS, { namespace })).items)
      await client.delete(STATEFUL_MIGRATIONS, { namespace, name: metadata.name });
}

/** Whatever migrations named that are deleted is not dialled any more. */
async function dialledNow(silent: SilentServer): Promise<readonly string[]> {
  await sleep(CALM_MS);
  const { connections, dials } = silent;
  await sleep(CALM_MS);
  const more = silent.dials - dials;
  return [
    ...(connections.size > 0 ? [`${connections.size} connections to brokers of deleted migrations`] : []),
    ...(more > 0 ? [`brokers of deleted migrations were dialled ${more} times`] : []),
  ];
}

async function create(client: Client, namespace: string, name: string, brokerUrl: string): Promise<void> {
  const messageQueueConfig = { queueName: 'missing', exchangeName: 'orders', routingKey: '', brokerUrl };
  await client.create<KubeObject>(STATEFUL_MIGRATIONS, {
    apiVersion: 'migration.ms2m.io/v1alpha1',
    kind: 'StatefulMigration',
    metadata: { name, namespace },
    spec: { sourcePod: POD, targetNode: 'node-2', dryRun: true, messageQueueConfig },
  });
}

async function runSource({ client, namespace: create }: Installation, namespace: string): Promise<void> {
  await create(namespace);
  await client.create<KubeObject>(corev1.pods, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: POD, namespace },
    spec: { nodeName: 'node-1', containers: [{ name: 'main', image: 'consumer' }] },
  });
  const isReady = (pod: corev1.Pod | undefined): boolean =>
    isConditionTrue((pod?.status?.conditions ?? []) as never, 'Ready');
  await waitForObject(client, corev1.pods, { namespace, name: POD }, isReady, { timeoutMs: 60_000 });
}

/** Takes connections, and says nothing. */
class SilentServer {
  readonly connections = new Set<Socket>();
  dials = 0;
  readonly #server: Server = createServer((socket) => {
    this.dials++;
    this.connections.add(socket);
    socket.on('error', () => undefined).on('close', () => this.connections.delete(socket));
    socket.resume();
  });

  static async open(): Promise<SilentServer> {
    const one = new SilentServer();
    await new Promise<void>((resolve) => one.#server.listen(0, '127.0.0.1', resolve));
    return one;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  close(): void {
    for (const socket of this.connections) socket.destroy();
    this.#server.close();
  }
}
