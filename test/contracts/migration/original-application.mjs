// What applications of the original system do, which know nothing of the SDK: their environment, queues and habits are those of
// the original's sample consumer. `state` is all that such a process has in memory: the applied messages, and which queue it is
// told to consume in place of its own.
import { setTimeout as sleep } from 'node:timers/promises';
// For the connection alone.
import { connectAmqp } from '@kubewright/migratable/amqp';

const { RABBITMQ_URL, QUEUE_NAME, QUEUE_ARGUMENTS = '{}', PROCESSING_DELAY_MS = '10' } = process.env;
const PREFETCH = 50;
const RECONNECT_MS = 3000;
const POLL_MS = 1000;

/** Reads what is there, without acks of its own. */
async function readControl(channel, control, state) {
  for (;;) {
    const message = await channel.basicGet({ queue: control, noAck: true });
    if (message === undefined) return;
    const { type, payload = {} } = message.body;
    if (type === 'START_REPLAY') {
      state.isWaiting = false;
      state.replay = payload.queue;
    } else if (type === 'END_REPLAY') state.replay = undefined;
  }
}

/** A consumer; messages wait here until `process` takes them. */
async function consume(channel, queue, { applied }) {
  const waiting = [];
  let wake = () => undefined;
  await channel.queueDeclare({ queue, durable: true, arguments: JSON.parse(QUEUE_ARGUMENTS) });
  const { consumerTag } = await channel.basicConsume({ queue }, (message) => {
    waiting.push(message);
    wake();
  });
  return {
    queue,
    /** Waits so long for messages, and applies all that are there: one after the other, each with its ack. */
    async process(limitMs) {
      if (waiting.length === 0)
        await Promise.race([sleep(limitMs), new Promise((resolve) => (wake = resolve))]);
      for (let message = waiting.shift(); message !== undefined; message = waiting.shift()) {
        await sleep(Number(PROCESSING_DELAY_MS));
        // It has gone back, and comes again.
        if (!channel.active) return;
        applied.push(message.body);
        console.log(JSON.stringify(message.body));
        channel.basicAck({ deliveryTag: message.deliveryTag });
      }
    },
    /** What was not applied goes back. */
    async cancel() {
      await channel.basicCancel({ consumerTag });
      for (const { deliveryTag } of waiting.splice(0)) channel.basicNack({ deliveryTag, requeue: true });
    },
  };
}

/** Until the connection is lost. */
async function run(channel, lost, { state, control }) {
  const orLost = (promise) => Promise.race([promise, lost]);
  await orLost(channel.queueDeclare({ queue: control, durable: true }));
  await orLost(readControl(channel, control, state));
  while (state.isWaiting) {
    await orLost(sleep(POLL_MS));
    await orLost(readControl(channel, control, state));
  }
  await orLost(channel.basicQos({ prefetchCount: PREFETCH }));
  let consumer = await orLost(consume(channel, state.replay ?? QUEUE_NAME, state));
  for (;;) {
    await orLost(consumer.process(POLL_MS));
    await orLost(readControl(channel, control, state));
    if (consumer.queue === (state.replay ?? QUEUE_NAME)) continue;
    await orLost(consumer.cancel());
    await orLost(sleep(POLL_MS / 2));
    consumer = await orLost(consume(channel, state.replay ?? QUEUE_NAME, state));
  }
}

/** Consumes for ever. `podName` is asked for anew with each connection: a restored process is in another pod. */
export async function runOriginalApplication(state, podName) {
  for (;;) {
    const connection = connectAmqp({ url: RABBITMQ_URL });
    try {
      await connection.onChannel((channel) => {
        const lost = new Promise((_resolve, reject) => {
          channel.on('error', reject);
          channel.on('close', () => reject(new Error('the channel is closed')));
        });
        lost.catch(() => undefined);
        return run(channel, lost, { state, control: `ms2m.control.${podName()}` });
      });
    } catch {
      await connection.close().catch(() => undefined);
      await sleep(RECONNECT_MS);
    }
  }
}
