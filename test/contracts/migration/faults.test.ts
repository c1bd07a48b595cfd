import { BROKERS_OF_FAULTS } from './brokers-of-faults.ts';
import { faultsContract, MANY } from './faults.contract.ts';

faultsContract('RabbitMQ', BROKERS_OF_FAULTS.RabbitMQ, MANY);
