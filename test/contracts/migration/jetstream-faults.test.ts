import { BROKERS_OF_FAULTS } from './brokers-of-faults.ts';
import { faultsContract, MANY } from './faults.contract.ts';

faultsContract('JetStream', BROKERS_OF_FAULTS.JetStream, MANY);
