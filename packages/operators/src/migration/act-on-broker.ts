import { type Clock, sleep } from '@kubewright/kube';
import { commandMessage, type Message } from '@kubewright/migratable';
import type { ActOutcome } from '@kubewright/runtime';
import type { StatefulMigration } from './api.ts';
import type { Broker } from './brokers/broker.ts';
import type { BrokerAction } from './decide/broker-action.ts';
import type { Settings } from './settings.ts';

/** Queues of a migration that is never finished expire. */
const EXPIRES_MS = 3_600_000;

/** How long a message may be on its way to a queue that is not bound any more. */
const IN_FLIGHT_MS = 100;

/** Carries out what is done at the broker. Idempotent. */
export async function actOnBroker(
  action: BrokerAction,
  broker: Broker,
  { settings, clock }: { readonly settings: Settings; readonly clock: Clock },
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
      if (action.mirror !== undefined) await deleteMirror(action.migration, action.mirror, broker, clock);
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

/**
 * A message that is on its way to a queue which is deleted is rejected by RabbitMQ, although its other queues have it: the
 * producer would publish it once more. So nothing may be on its way.
 */
async function deleteMirror(
  { spec: { messageQueueConfig } }: StatefulMigration,
  queue: string,
  broker: Broker,
  clock: Clock,
): Promise<void> {
  const { exchangeName: exchange, routingKey } = messageQueueConfig;
  await broker.unbind({ queue, exchange, routingKey });
  await sleep(clock, IN_FLIGHT_MS);
  await broker.deleteQueue(queue);
}

/** A consumer without a queue has not started yet, or is gone: the next observation shows which. */
async function send(broker: Broker, queue: string, message: Message): Promise<ActOutcome> {
  return (await broker.send(queue, message)) === 'sent' ? 'done' : 'conflict';
}
