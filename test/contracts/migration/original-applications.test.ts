import { WorkerRuntime } from '@kubewright/cluster';
import { afterAll, beforeAll, describe } from 'vitest';
import {
  ORIGINAL_CONSUMER,
  originalApplicationContract,
} from '../../../packages/operators/src/migration/original-application.contract.ts';
import { describeClusters } from '../../servers/describe-clusters.ts';
import { whyNoRabbitMq } from '../../servers/rabbitmq.ts';
import { notInCi } from '../../servers/real-side.ts';
import type { RabbitMqBroker, ShopRabbitMq } from '../../shop/rabbitmq-broker.ts';
import { type AgentsUnderTest, agentsUnderTest } from './agents-under-test.ts';
import type { LoadedBroker } from './broker-for-load.ts';
import { rabbitMqForLoad } from './rabbitmq-for-load.ts';

// Classic queues of RabbitMQ 3 are in rabbitmq.test.ts. The others take long: npm run test:real plays them, `.ci/run` does not.
const QUORUM = { 'x-queue-type': 'quorum' };
const ROWS: readonly (readonly [title: string, options: ShopRabbitMq])[] = [
  ['quorum queues of RabbitMQ', { args: QUORUM }],
  ['classic queues of RabbitMQ 4', { release: '4' }],
  ['quorum queues of RabbitMQ 4', { release: '4', args: QUORUM }],
  [
    'quorum queues of RabbitMQ 4 with a delivery limit of 3',
    { release: '4', args: { ...QUORUM, 'x-delivery-limit': 3 } },
  ],
  ['RabbitMQ 4 with quorum as the default type', { release: '4', config: ['default_queue_type = quorum'] }],
];

for (const [title, options] of ROWS) {
  const why = whyNoRabbitMq(options.release) ?? notInCi;
  const named = `applications of the original system on ${title}${why === undefined ? '' : ` [${why}]`}`;
  describe.skipIf(why !== undefined)(named, () => originalsOn(options));
}

function originalsOn(options: ShopRabbitMq): void {
  const images = { [ORIGINAL_CONSUMER]: new URL('./original-consumer.mjs', import.meta.url) };
  const workers = new WorkerRuntime({ images });
  afterAll(() => workers.close());
  describeClusters(
    'operator migration',
    {
      controllers: ['statefulset-controller', 'garbage-collector-controller'],
      nodes: { nodes: 2, runtimes: [workers] },
    },
    (transport, nodes) => {
      let broker: LoadedBroker & Pick<RabbitMqBroker, 'exists'>;
      let agents: AgentsUnderTest;
      beforeAll(async () => {
        broker = await rabbitMqForLoad(options);
        agents = await agentsUnderTest({ transport: transport(), nodes: nodes(), workers });
      });
      afterAll(async () => {
        await agents.close();
        await broker.close();
      });
      originalApplicationContract({
        transport,
        broker: () => broker,
        agents: () => agents,
        archives: () => agents.archives(),
        ...(options.args !== undefined && { queueArguments: options.args }),
      });
    },
  );
}
