import { describeRabbitMq } from './rabbitmq.contract.ts';

// RabbitMQ 3.10: without an argument or a policy a quorum queue has no limit, and all that comes back counts.
describeRabbitMq('RabbitMQ of this machine', {
  release: 'host',
  primaries: {
    'classic queues': { args: { 'x-queue-type': 'classic' } },
    'quorum queues': { args: { 'x-queue-type': 'quorum' } },
    'quorum queues with a delivery limit of 3': {
      args: { 'x-queue-type': 'quorum', 'x-delivery-limit': 3 },
      windows: { hasLimitForNacks: true },
    },
  },
  facts: { countsNacks: true, defaultType: 'classic' },
});
