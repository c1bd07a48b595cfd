import { connectJetStream } from '@kubewright/migratable/jetstream';
import { encodeMessage } from '../../packages/migratable/src/jetstream/encode-message.ts';
import { NatsLink } from '../../packages/migratable/src/jetstream/nats-link.ts';
import { ALL_RECORDS, QUEUES } from '../../packages/migratable/src/jetstream/record-subject.ts';
import { startNats } from '../servers/nats.ts';
import { EXCHANGE, type ShopBroker } from './shop-broker.ts';

export async function startJetStreamBroker(): Promise<ShopBroker> {
  const server = await startNats();
  const messages = connectJetStream({ url: `nats://127.0.0.1:${server.port}` });
  const admin = new NatsLink({ servers: `127.0.0.1:${server.port}` });
  await admin.use(({ streams }) => streams.add({ name: EXCHANGE, subjects: [`${EXCHANGE}.>`] }));
  const routingKey = (queue: string): string => `${EXCHANGE}.${queue}`;
  return {
    url: `nats://127.0.0.1:${server.port}`,
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
    restart: () => server.restart(),
    async close() {
      await Promise.all([messages.close(), admin.close()]);
      await server.stop();
    },
  };
}

/** The name of the queue that has its record there. */
function nameIn(subject: string): string {
  const encoded = subject.slice(ALL_RECORDS.length - 1);
  return encoded.replaceAll(/=([0-9a-f]{2})/g, (_all, hex: string) => String.fromCharCode(parseInt(hex, 16)));
}
