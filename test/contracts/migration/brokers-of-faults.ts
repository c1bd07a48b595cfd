import { type NatsRelease, whyNoNats } from '../../servers/nats.ts';
import { whyNoRabbitMq } from '../../servers/rabbitmq.ts';
import { notInCi } from '../../servers/real-side.ts';
import { startJetStreamBroker, startJetStreamCluster } from '../../shop/jetstream-broker.ts';
import { type ShopRabbitMq, startRabbitMqBroker } from '../../shop/rabbitmq-broker.ts';
import type { ShopBroker } from '../../shop/shop-broker.ts';
import type { BrokerOfFaults } from './faults.contract.ts';

const QUORUM = { 'x-queue-type': 'quorum' };

/** Brokers and types of queues on which migrations meet faults. */
export const BROKERS_OF_FAULTS = {
  RabbitMQ: rabbitMq({}),
  'quorum queues of RabbitMQ': rabbitMq({ args: QUORUM }),
  'classic queues of RabbitMQ 4': rabbitMq({ release: '4' }),
  'quorum queues of RabbitMQ 4': rabbitMq({ release: '4', args: QUORUM }),
  'quorum queues of RabbitMQ 4 with a delivery limit of 3': rabbitMq({
    release: '4',
    args: { ...QUORUM, 'x-delivery-limit': 3 },
  }),
  'RabbitMQ 4 with quorum as the default type': rabbitMq({
    release: '4',
    config: ['default_queue_type = quorum'],
  }),
  JetStream: jetStream('host'),
  'three servers of JetStream': jetStream('host', startJetStreamCluster),
  'JetStream 2.15': jetStream('pinned'),
  'three servers of JetStream 2.15': jetStream('pinned', startJetStreamCluster),
} as const satisfies Record<string, BrokerOfFaults>;

function rabbitMq(options: ShopRabbitMq): BrokerOfFaults {
  const why = whyNoRabbitMq(options.release) ?? (options.release === '4' ? notInCi : undefined);
  return { why, start: () => startRabbitMqBroker(options) };
}

type Start = (release: NatsRelease) => Promise<ShopBroker>;

function jetStream(release: NatsRelease, start: Start = startJetStreamBroker): BrokerOfFaults {
  return {
    why: whyNoNats(release) ?? (release === 'pinned' ? notInCi : undefined),
    start: () => start(release),
  };
}
