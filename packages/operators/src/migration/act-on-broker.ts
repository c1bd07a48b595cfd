import { type Clock, sleep } from '@kubewright/kube';
import {
  commandMessage,
  HOLD_QUEUE,
  holdMessage,
  holdQueue,
  type Message,
  QUEUE_EXPIRES_MS,
} from '@kubewright/migratable';
import type { ActOutcome } from '@kubewright/runtime';
import type { StatefulMigration } from './api.ts';
import type { Broker } from './brokers/broker.ts';
import type { BrokerAction } from './decide/broker-action.ts';
import type { Settings } from './settings.ts';

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
      return createMirror(action, broker, settings);
    case 'declareQueue':
      await broker.declareQueue(action.queue, { expiresMs: QUEUE_EXPIRES_MS });
      return 'done';
    case 'holdPrimary':
      return holdPrimary(action.migration, action.pod, broker);
    case 'declarePlainQueue':
      await broker.declarePlainQueue(action.queue, action.migration.spec.messageQueueConfig.queueName);
      return 'done';
    case 'storeQueues':
      await broker.declareQueue(holdQueueOf(action.migration), HOLD_QUEUE);
      // Last: when it is there, so is the other one.
      await broker.declareQueue(action.queue);
      return 'done';
    case 'deleteQueues':
      await deleteQueues(action, broker, clock);
      return 'done';
    case 'leaveCommand':
      await broker.deleteQueue(action.queue);
      await broker.declarePlainQueue(action.queue);
      return send(broker, action.queue, { body: action.command });
    case 'tell':
      return send(broker, action.queue, { body: action.command });
    case 'send':
      return send(broker, action.queue, commandMessage(action.command));
  }
}

async function deleteQueues(
  { migration, mirror, queues }: Extract<BrokerAction, { readonly type: 'deleteQueues' }>,
  broker: Broker,
  clock: Clock,
): Promise<void> {
  if (mirror !== undefined) await deleteMirror(migration, mirror, broker, clock);
  for (const queue of queues) await broker.deleteQueue(queue);
}

function holdQueueOf({ spec }: StatefulMigration): string {
  return holdQueue(spec.messageQueueConfig.queueName);
}

async function holdPrimary(migration: StatefulMigration, pod: string, broker: Broker): Promise<ActOutcome> {
  const queue = holdQueueOf(migration);
  await broker.declareQueue(queue, HOLD_QUEUE);
  return send(broker, queue, holdMessage(pod));
}

async function createMirror(
  { migration, mirror: queue, holder }: Extract<BrokerAction, { readonly type: 'createMirror' }>,
  broker: Broker,
  { mirrorLength }: Settings,
): Promise<ActOutcome> {
  const { exchangeName: exchange, routingKey } = migration.spec.messageQueueConfig;
  await broker.declareQueue(queue, { expiresMs: QUEUE_EXPIRES_MS, maxLength: mirrorLength });
  await broker.bind({ queue, exchange, routingKey });
  return holder === undefined ? 'done' : holdPrimary(migration, holder, broker);
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
