import { WorkerRuntime } from '@kubewright/cluster';
import { type JetStreamConnection, connectJetStream } from '@kubewright/migratable/jetstream';
import { afterAll, beforeAll, describe } from 'vitest';
import { NatsLink } from '../../../packages/migratable/src/jetstream/nats-link.ts';
import { encodeMessage } from '../../../packages/migratable/src/jetstream/encode-message.ts';
import { brokerSecretsContract } from '../../../packages/operators/src/migration/broker-secrets.contract.ts';
import { migrationContract } from '../../../packages/operators/src/migration/migration.contract.ts';
import { stayingShadowContract } from '../../../packages/operators/src/migration/staying-shadow.contract.ts';
import {
  type BrokerForLoad,
  CONSUMER,
} from '../../../packages/operators/src/migration/testing/migration-calls.ts';
import { describeClusters } from '../../servers/describe-clusters.ts';
import { type NatsServer, startNats, whyNoNats } from '../../servers/nats.ts';

const why = whyNoNats();
const STREAM = 'orders';

describe.skipIf(why !== undefined)(why === undefined ? 'with JetStream' : `with JetStream [${why}]`, () => {
  const workers = new WorkerRuntime({ images: { [CONSUMER]: new URL('./consumer.mjs', import.meta.url) } });
  const controllers = [
    'statefulset-controller',
    'deployment-controller',
    'replicaset-controller',
    'garbage-collector-controller',
  ] as const;
  let server: NatsServer;
  let shop: JetStreamConnection;
  let till: NatsLink;

  beforeAll(async () => {
    server = await startNats();
    shop = connectJetStream({ url: `nats://127.0.0.1:${server.port}` });
    till = new NatsLink({ servers: `127.0.0.1:${server.port}` });
    await till.use(({ streams }) => streams.add({ name: STREAM, subjects: ['orders.>'] }));
  });
  afterAll(async () => {
    await Promise.all([shop.close(), till.close(), workers.close()]);
    await server.stop();
  });

  /** Every queue reads its own subject of the one stream. */
  const subjectOf = (queue: string): string => `orders.${queue}`;
  const forLoad = (): BrokerForLoad => ({
    url: `nats://127.0.0.1:${server.port}`,
    routingKey: subjectOf,
    async declare(queue) {
      await shop.deleteQueue(queue);
      await shop.subscribe(queue, { stream: STREAM, subject: subjectOf(queue) });
    },
    async publish(queue, message) {
      const { data, headers } = encodeMessage(message);
      await till.use(({ publish }) => publish(subjectOf(queue), data, { headers }));
    },
  });

  describeClusters(
    'operator migration',
    { controllers, nodes: { nodes: 2, runtimes: [workers] } },
    (transport) => {
      migrationContract(transport, forLoad);
      stayingShadowContract(transport, forLoad);
      brokerSecretsContract(transport, forLoad);
    },
  );
});
