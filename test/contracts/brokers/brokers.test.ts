import { InProcessBroker } from '@kubewright/operators';
import { describe } from 'vitest';
import { brokerContract } from '../../../packages/operators/src/migration/brokers/broker.contract.ts';
import { migratableContract } from '../../../packages/migratable/src/migratable.contract.ts';
import { inProcessUnderTest } from './in-process-under-test.ts';
import { messagesUnderTest } from './messages-under-test.ts';

describe('the in-process broker', () => {
  const under = inProcessUnderTest(new InProcessBroker());
  brokerContract(() => under);
  migratableContract(() => messagesUnderTest(under));
});
