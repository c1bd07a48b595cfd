import { BROKERS_OF_FAULTS } from './brokers-of-faults.ts';
import { faultsContract, few, OF_BROKER } from './faults.contract.ts';

// Of each further broker some cases; all of one with KUBEWRIGHT_LONG and -t.
for (const [title, draw] of [
  ['quorum queues of RabbitMQ', few(0)],
  ['three servers of JetStream', OF_BROKER],
] as const)
  faultsContract(title, BROKERS_OF_FAULTS[title], draw);
