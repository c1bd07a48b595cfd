import { describeJetStream } from './jetstream.contract.ts';

describeJetStream('NATS JetStream, the pinned version', 'pinned');
