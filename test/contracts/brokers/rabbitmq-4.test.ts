import { describeRabbitMq } from './rabbitmq.contract.ts';

describeRabbitMq('RabbitMQ 4', {
  release: '4',
  primaries: {
    'classic queues': { args: { 'x-queue-type': 'classic' } },
    'quorum queues': { args: { 'x-queue-type': 'quorum' } },
    'quorum queues with a delivery limit of 3': {
      args: { 'x-queue-type': 'quorum', 'x-delivery-limit': 3 },
    },
  },
  facts: { countsNacks: false, defaultType: 'classic' },
});
