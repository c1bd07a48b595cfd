import type { QueueFacts } from '../brokers/broker.ts';
import { observedQueues } from '../process-queues.ts';
import type { Context } from './turn.ts';

export function factsOf({ observed: { broker } }: Context, queue: string): QueueFacts | undefined {
  return broker.type === 'reached' ? broker.queues?.get(queue) : undefined;
}

/**
 * A RabbitMQ that is killed forgets queues which were declared a moment ago, and all that they have, although it has confirmed
 * both. Whoever waits for what is in one would wait for ever. When the source is lost nobody else has that, and the queue may be
 * on a node that comes back.
 */
export function isLost({ observed: { broker, migration }, status }: Context, queue: string): boolean {
  const isMissing = broker.type === 'reached' && broker.queues?.has(queue) === false;
  return isMissing && observedQueues(migration).includes(queue) && status.sourceLost !== true;
}
