import { BROKERS_OF_FAULTS } from './brokers-of-faults.ts';
import { faultsContract, few, OF_BROKER } from './faults.contract.ts';

for (const [title, draw] of [
  ['JetStream 2.15', few(1)],
  ['three servers of JetStream 2.15', OF_BROKER],
] as const)
  faultsContract(title, BROKERS_OF_FAULTS[title], draw);
