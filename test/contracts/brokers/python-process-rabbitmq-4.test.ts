import { describePython } from './python-process.contract.ts';

describePython('a Python process, RabbitMQ 4', {
  release: '4',
  primaries: {
    'classic queues': { 'x-queue-type': 'classic' },
    'quorum queues': { 'x-queue-type': 'quorum' },
    'quorum queues with a delivery limit of 3': { 'x-queue-type': 'quorum', 'x-delivery-limit': 3 },
  },
});
describePython('a Python process, RabbitMQ 4 with quorum as the default type', {
  release: '4',
  config: ['default_queue_type = quorum'],
  primaries: { 'queues of the default type': {} },
});
