import { type AmqpServer, InProcessBroker, serveAmqp } from '@kubewright/operators';
import { afterAll, beforeAll } from 'vitest';
import { migratableContract } from '../../../packages/migratable/src/migratable.contract.ts';
import { brokerContract } from '../../../packages/operators/src/migration/brokers/broker.contract.ts';
import { describeOurs } from '../../servers/describe-ours.ts';
import { amqpUnderTest } from './amqp-under-test.ts';
import { inProcessUnderTest } from './in-process-under-test.ts';
import { messagesUnderTest } from './messages-under-test.ts';
import { quorumQueuesContract } from './quorum-queues.contract.ts';

describeOurs('the in-process broker', () => {
  const under = inProcessUnderTest(new InProcessBroker());
  brokerContract(() => under);
  migratableContract(() => messagesUnderTest(under));
});

describeOurs('the in-process broker over AMQP', () => {
  let server: AmqpServer;
  let under: Awaited<ReturnType<typeof amqpUnderTest>>;
  beforeAll(async () => {
    server = await serveAmqp(new InProcessBroker());
    under = await amqpUnderTest(server);
  });
  afterAll(async () => {
    await under.close();
    await server.close();
  });
  brokerContract(() => under);
  migratableContract(() => messagesUnderTest(under));
  quorumQueuesContract(
    () => server.url,
    () => under,
  );
});
