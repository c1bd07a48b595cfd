import { describeRabbitMq } from './rabbitmq.contract.ts';

describeRabbitMq('RabbitMQ 4, quorum queues by default', {
  release: '4',
  config: ['default_queue_type = quorum'],
  primaries: { 'queues of the default type': { args: {} } },
  facts: { countsNacks: false, defaultType: 'quorum' },
});
