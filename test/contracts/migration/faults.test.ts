import { whyNoRabbitMq } from '../../servers/rabbitmq.ts';
import { startRabbitMqBroker } from '../../shop/rabbitmq-broker.ts';
import { faultsContract } from './faults.contract.ts';

faultsContract({ title: 'RabbitMQ', why: whyNoRabbitMq(), start: startRabbitMqBroker });
