import { setTimeout as delay } from 'node:timers/promises';
import { connectJetStream } from '@kubewright/migratable/jetstream';
import { encodeMessage } from '../../packages/migratable/src/jetstream/encode-message.ts';
import { type Nats, NatsLink } from '../../packages/migratable/src/jetstream/nats-link.ts';
import { ALL_RECORDS, MESSAGES, QUEUES } from '../../packages/migratable/src/jetstream/record-subject.ts';
import { type NatsRelease, type NatsServer, startNats } from '../servers/nats.ts';
import { startNatsCluster } from '../servers/nats-cluster.ts';
import { EXCHANGE, type ShopBroker } from './shop-broker.ts';

const KNOWN_WITHIN_MS = 60_000;
const LOOK_MS = 200;

type Served = Pick<NatsServer, 'port' | 'version' | 'stop'>;

/** One server. */
export async function startJetStreamBroker(release: NatsRelease = 'host'): Promise<ShopBroker> {
  const server = await startNats('', release);
  return brokerAt(server, { replicas: 1, restart: () => server.restart() });
}

/** Three servers; the one that is restarted leads a stream, each time the next one. */
export async function startJetStreamCluster(release: NatsRelease): Promise<ShopBroker> {
  const cluster = await startNatsCluster(release);
  let restarts = 0;
  return brokerAt(cluster, {
    replicas: cluster.servers.length,
    async restart(admin) {
      const stream = [EXCHANGE, QUEUES, MESSAGES][restarts++ % 3] ?? EXCHANGE;
      const { cluster: found } = await admin.use(({ streams }) => streams.info(stream));
      await cluster.restart(found?.leader ?? '');
    },
  });
}

type Kept = { readonly replicas: number; readonly restart: (admin: NatsLink) => Promise<void> };

async function brokerAt(server: Served, { replicas, restart }: Kept): Promise<ShopBroker> {
  const messages = connectJetStream({ url: `nats://127.0.0.1:${server.port}` });
  const admin = new NatsLink({ servers: `127.0.0.1:${server.port}` });
  await madeStream(admin, { name: EXCHANGE, subjects: [`${EXCHANGE}.>`], num_replicas: replicas });
  const routingKey = (queue: string): string => `${EXCHANGE}.${queue}`;
  return {
    url: `nats://127.0.0.1:${server.port}`,
    version: () => server.version(),
    routingKey,
    async declare(queue) {
      for (const name of [queue, `${queue}.end`])
        await messages.subscribe(name, { stream: EXCHANGE, subject: routingKey(name) });
    },
    async remove(queue) {
      await messages.deleteQueue(queue);
      await messages.deleteQueue(`${queue}.end`);
    },
    publisher: (queue) => ({
      async publish(body) {
        const { data, headers } = encodeMessage({ body });
        await admin.use(({ publish }) => publish(routingKey(queue), data, { headers }));
      },
      close: async () => undefined,
    }),
    async queues() {
      const { state } = await admin.use(({ streams }) =>
        streams.info(QUEUES, { subjects_filter: ALL_RECORDS }),
      );
      const names = Object.keys(state.subjects ?? {}).map(nameIn);
      // Of one that was deleted, the record says so.
      const queues = await Promise.all(names.map((name) => messages.queue(name)));
      return names.filter((_name, index) => queues[index] !== undefined);
    },
    restart: () => restart(admin),
    async close() {
      await Promise.all([messages.close(), admin.close()]);
      await server.stop();
    },
  };
}

/** Servers of a cluster know each other some seconds after they have started. */
async function madeStream(admin: NatsLink, stream: Parameters<Nats['streams']['add']>[0]): Promise<void> {
  for (const deadline = Date.now() + KNOWN_WITHIN_MS; ; await delay(LOOK_MS)) {
    try {
      return void (await admin.use(({ streams }) => streams.add(stream)));
    } catch (error) {
      if (Date.now() > deadline) throw error;
    }
  }
}

/** The name of the queue that has its record there. */
function nameIn(subject: string): string {
  const encoded = subject.slice(ALL_RECORDS.length - 1);
  return encoded.replaceAll(/=([0-9a-f]{2})/g, (_all, hex: string) => String.fromCharCode(parseInt(hex, 16)));
}
