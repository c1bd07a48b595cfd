// An application of the original system, which knows nothing of the SDK: its environment, queues and habits are those of the
// original's sample consumer. What a checkpoint has of it is its memory: the applied messages, and which queue it is told to
// consume. A container of a worker has no /etc/hostname of its own: the name of the pod stands for it.
import { setTimeout as sleep } from 'node:timers/promises';
import { container } from '@kubewright/cluster/container';
// For the connection alone.
import { connectAmqp } from '@kubewright/migratable/amqp';

const { pod, restored, onCheckpoint, onTerminate } = container();
const { RABBITMQ_URL, QUEUE_NAME, PROCESSING_DELAY_MS = '10', MS2M_RESTORE_MODE } = process.env;
const control = `ms2m.control.${pod.name}`;
const PREFETCH = 50;
const RECONNECT_MS = 3000;
const POLL_MS = 1000;

const applied = restored?.applied ?? [];
/** The queue in place of the primary one. */
let replay = restored?.replay;
let isWaiting = restored === undefined && MS2M_RESTORE_MODE === 'true';
onCheckpoint(() => ({ applied, replay }));
onTerminate(() => process.exit(0));
for (const message of applied) console.log(JSON.stringify(message));

/** Reads what is there, without acks of its own. */
async function readControl(channel) {
  for (;;) {
    const message = await channel.basicGet({ queue: control, noAck: true });
    if (message === undefined) return;
    const { type, payload = {} } = message.body;
    if (type === 'START_REPLAY') {
      isWaiting = false;
      replay = payload.queue;
    } else if (type === 'END_REPLAY') replay = undefined;
  }
}

/** A consumer; messages wait here until `process` takes them. */
async function consume(channel, queue) {
  const waiting = [];
  let wake = () => undefined;
  await channel.queueDeclare({ queue, durable: true });
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
async function run(channel, lost) {
  const orLost = (promise) => Promise.race([promise, lost]);
  await orLost(channel.queueDeclare({ queue: control, durable: true }));
  await orLost(readControl(channel));
  while (isWaiting) {
    await orLost(sleep(POLL_MS));
    await orLost(readControl(channel));
  }
  await orLost(channel.basicQos({ prefetchCount: PREFETCH }));
  let consumer = await orLost(consume(channel, replay ?? QUEUE_NAME));
  for (;;) {
    await orLost(consumer.process(POLL_MS));
    await orLost(readControl(channel));
    if (consumer.queue === (replay ?? QUEUE_NAME)) continue;
    await orLost(consumer.cancel());
    await orLost(sleep(POLL_MS / 2));
    consumer = await orLost(consume(channel, replay ?? QUEUE_NAME));
  }
}

// Its connection was cut by the checkpoint.
if (restored !== undefined) await sleep(RECONNECT_MS);
for (;;) {
  const connection = connectAmqp({ url: RABBITMQ_URL });
  try {
    await connection.onChannel((channel) => {
      const lost = new Promise((_resolve, reject) => {
        channel.on('error', reject);
        channel.on('close', () => reject(new Error('the channel is closed')));
      });
      lost.catch(() => undefined);
      return run(channel, lost);
    });
  } catch {
    await connection.close().catch(() => undefined);
    await sleep(RECONNECT_MS);
  }
}
