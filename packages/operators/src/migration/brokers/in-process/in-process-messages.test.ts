import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { InProcessBroker } from './in-process-broker.ts';

test('two consumers whose connections are lost on their side alone wait, and do not wake each other for ever', async () => {
  const broker = new InProcessBroker();
  const messages = broker.messages();
  const stop = new AbortController();
  const { signal } = stop;
  const applied: unknown[] = [];
  const consume = async (queue: string): Promise<void> => {
    for await (const { message, ack } of messages.consume(queue, { prefetch: 5, exclusive: true, signal })) {
      applied.push(message.body);
      ack();
    }
  };
  for (const queue of ['a', 'b']) broker.declareQueue(queue, {});
  const consumers = ['a', 'b'].map((queue) => consume(queue));
  await turn();
  const notice = broker.halveAll();
  // Before, no turn of the loop came after this one.
  await turn();
  notice();
  for (const queue of ['a', 'b']) await messages.send(queue, { body: queue });
  await turn();
  expect(applied).toEqual(['a', 'b']);
  stop.abort();
  await Promise.all(consumers);
});
