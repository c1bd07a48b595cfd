import { WorkerRuntime } from '@kubewright/cluster';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { brokerSecretsContract } from '../../../packages/operators/src/migration/broker-secrets.contract.ts';
import { migrationContract } from '../../../packages/operators/src/migration/migration.contract.ts';
import { stayingShadowContract } from '../../../packages/operators/src/migration/staying-shadow.contract.ts';
import {
  type BrokerForLoad,
  CONSUMER,
} from '../../../packages/operators/src/migration/testing/migration-calls.ts';
import { describeClusters } from '../../servers/describe-clusters.ts';
import { whyNoNats } from '../../servers/nats.ts';
import { startJetStreamBroker } from '../../shop/jetstream-broker.ts';
import type { ShopBroker } from '../../shop/shop-broker.ts';

const why = whyNoNats();

describe.skipIf(why !== undefined)(why === undefined ? 'with JetStream' : `with JetStream [${why}]`, () => {
  const workers = new WorkerRuntime({ images: { [CONSUMER]: new URL('./consumer.mjs', import.meta.url) } });
  const controllers = [
    'statefulset-controller',
    'deployment-controller',
    'replicaset-controller',
    'garbage-collector-controller',
  ] as const;
  let broker: ShopBroker;

  beforeAll(async () => {
    broker = await startJetStreamBroker();
  });
  afterAll(async () => {
    await workers.close();
    await broker.close();
  });

  const forLoad = (): BrokerForLoad => ({
    ...broker,
    publish: (queue, { body }) => broker.publisher(queue).publish(body),
  });

  describeClusters(
    'operator migration',
    { controllers, nodes: { nodes: 2, runtimes: [workers] } },
    (transport) => {
      migrationContract(transport, forLoad);
      stayingShadowContract(transport, forLoad);
      brokerSecretsContract(transport, forLoad);

      test('leaves no mirror, snapshot or hold', async () => {
        const queues = await broker.queues();
        expect(queues).not.toEqual([]);
        expect(queues.filter((name) => /\.mig\.|^ms2m\.(snapshot|hold)\./.test(name))).toEqual([]);
      });
    },
  );
});
