import { commandMessage, type Message } from '@kubewright/migratable';
import type { ActOutcome } from '@kubewright/runtime';
import type { StatefulMigration } from './api.ts';
import type { Broker } from './brokers/broker.ts';
import type { BrokerAction } from './decide/broker-action.ts';
import type { Settings } from './settings.ts';

/** Queues of a migration that is never finished expire. */
const EXPIRES_MS = 3_600_000;

/** Carries out what is done at the broker. Idempotent. */
export async function actOnBroker(
  action: BrokerAction,
  broker: Broker,
  settings: Settings,
): Promise<ActOutcome> {
  switch (action.type) {
    case 'createMirror':
      await createMirror(action.migration, action.mirror, broker, settings);
      return 'done';
    case 'declareQueue':
      await broker.declareQueue(action.queue, { expiresMs: EXPIRES_MS });
      return 'done';
    case 'declarePlainQueue':
      await broker.declareQueue(action.queue);
      return 'done';
    case 'deleteQueues':
      for (const queue of action.queues) await broker.deleteQueue(queue);
      return 'done';
    case 'leaveCommand':
      await broker.deleteQueue(action.queue);
      await broker.declareQueue(action.queue);
      return send(broker, action.queue, { body: action.command });
    case 'tell':
      return send(broker, action.queue, { body: action.command });
    case 'send':
      return send(broker, action.queue, commandMessage(action.command));
  }
}

async function createMirror(
  { spec: { messageQueueConfig } }: StatefulMigration,
  queue: string,
  broker: Broker,
  { mirrorLength }: Settings,
): Promise<void> {
  const { exchangeName: exchange, routingKey } = messageQueueConfig;
  await broker.declareQueue(queue, { expiresMs: EXPIRES_MS, maxLength: mirrorLength });
  await broker.bind({ queue, exchange, routingKey });
}

/** A consumer without a queue has not started yet, or is gone: the next observation shows which. */
async function send(broker: Broker, queue: string, message: Message): Promise<ActOutcome> {
  return (await broker.send(queue, message)) === 'sent' ? 'done' : 'conflict';
}
