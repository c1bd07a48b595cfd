import { describeJetStream } from './jetstream.contract.ts';

describeJetStream('NATS JetStream of this machine', 'host');
