import { whyNoNats } from '../../servers/nats.ts';
import { startJetStreamBroker } from '../../shop/jetstream-broker.ts';
import { faultsContract } from './faults.contract.ts';

faultsContract({ title: 'JetStream', why: whyNoNats(), start: startJetStreamBroker });
