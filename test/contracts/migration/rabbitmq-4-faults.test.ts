import { BROKERS_OF_FAULTS } from './brokers-of-faults.ts';
import { faultsContract, few } from './faults.contract.ts';

for (const [nth, title] of (
  [
    'quorum queues of RabbitMQ 4 with a delivery limit of 3',
    'quorum queues of RabbitMQ 4',
    'RabbitMQ 4 with quorum as the default type',
    'classic queues of RabbitMQ 4',
  ] as const
).entries())
  faultsContract(title, BROKERS_OF_FAULTS[title], few(nth + 1));
