import { type AmqpServer, InProcessBroker, rabbitmqBrokers, serveAmqp } from '@kubewright/operators';
import { afterAll, beforeAll, describe } from 'vitest';
import { migratableContract } from '../../../packages/migratable/src/migratable.contract.ts';
import { brokerContract } from '../../../packages/operators/src/migration/brokers/broker.contract.ts';
import { describeOurs } from '../../servers/describe-ours.ts';
import { some } from '../../support/seeds.ts';
import { amqpUnderTest } from './amqp-under-test.ts';
import { declareWith } from './declare-with.ts';
import { deniedContract } from './denied.contract.ts';
import { inProcessUnderTest } from './in-process-under-test.ts';
import { messagesUnderTest } from './messages-under-test.ts';
import { quorumQueuesContract } from './quorum-queues.contract.ts';
import { rightsContract } from './rights.contract.ts';
import { windowsContract } from './windows.contract.ts';

/** What is of the protocol, but for what carries the operator's commands. */
const isGuarded = (queue: string): boolean => /^ms2m\.(?!control)/.test(queue);

/** How migrations of `npm test` reach the broker; the other ways with another seed, and all in the long run. */
const WAYS: readonly string[] = some(1, [
  'over AMQP',
  'in the process',
  'to a quorum queue',
  'where quorum is the default',
]);

describeOurs('the in-process broker', () => {
  const broker = new InProcessBroker();
  const under = inProcessUnderTest(broker);
  brokerContract(() => under);
  rightsContract(() => ({
    under: messagesUnderTest(under),
    messages: under.messages,
    forbid: async (isForbidden) => broker.forbid(isForbidden ? isGuarded : undefined),
  }));
  if (WAYS.includes('in the process')) migratableContract(() => messagesUnderTest(under));
});

describeOurs('the in-process broker over AMQP', () => {
  let server: AmqpServer;
  let under: Awaited<ReturnType<typeof amqpUnderTest>>;
  const broker = new InProcessBroker();
  beforeAll(async () => {
    server = await serveAmqp(broker);
    under = await amqpUnderTest(server);
  });
  afterAll(async () => {
    await under.close();
    await server.close();
  });
  brokerContract(() => under);
  const forbid = async (isForbidden: boolean): Promise<void> =>
    broker.forbid(isForbidden ? isGuarded : undefined);
  rightsContract(() => ({ under: messagesUnderTest(under), messages: under.messages, forbid }));
  deniedContract(() => ({ brokers: rabbitmqBrokers(), url: under.url, forbid }));
  if (WAYS.includes('over AMQP')) migratableContract(() => messagesUnderTest(under));
  quorumQueuesContract(
    () => server.url,
    () => under,
    { countsNacks: false, defaultType: 'classic' },
  );
  if (WAYS.includes('to a quorum queue'))
    describe('MIG-20: with quorum queues', () => {
      const declare = (queue: string): Promise<void> =>
        declareWith(server.url, queue, { 'x-queue-type': 'quorum' });
      migratableContract(() => messagesUnderTest(under, declare));
    });
  describe('with quorum queues', () => {
    const declare = (queue: string): Promise<void> =>
      declareWith(server.url, queue, { 'x-queue-type': 'quorum' });
    windowsContract(() => ({ amqp: under, messages: messagesUnderTest(under, declare) }));
  });
  describe('with classic queues', () =>
    windowsContract(() => ({ amqp: under, messages: messagesUnderTest(under) })));
});

describeOurs('the in-process broker over AMQP, quorum queues by default', () => {
  let server: AmqpServer;
  let under: Awaited<ReturnType<typeof amqpUnderTest>>;
  beforeAll(async () => {
    server = await serveAmqp(new InProcessBroker({ defaultType: 'quorum' }));
    under = await amqpUnderTest(server);
  });
  afterAll(async () => {
    await under.close();
    await server.close();
  });
  brokerContract(() => under);
  quorumQueuesContract(
    () => server.url,
    () => under,
    { countsNacks: false, defaultType: 'quorum' },
  );
  describe('MIG-20: with queues of the default type', () => {
    const messages = () => messagesUnderTest(under, (queue) => declareWith(server.url, queue, {}));
    if (WAYS.includes('where quorum is the default')) migratableContract(messages);
    windowsContract(() => ({ amqp: under, messages: messages() }));
  });
});
