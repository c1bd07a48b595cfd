import type { DeliveryLimit } from '../brokers/broker.ts';

/**
 * A message may be in hand at each pause of both handovers, and at one more of each that is tried again; where that counts, a limit
 * below drops it.
 */
const LEAST_WITH_PAUSES = 10;

/** Why messages would be dropped although no process fails; undefined: they are not. */
export function limitTooLow(
  queue: string,
  { limit, countsPauses, version }: DeliveryLimit,
): string | undefined {
  if (!countsPauses || limit >= LEAST_WITH_PAUSES) return undefined;
  return `queue ${queue} has a delivery limit of ${limit}, and RabbitMQ ${version} counts each pause of the consumer: it would drop messages. It takes a limit of at least ${LEAST_WITH_PAUSES} or none, or RabbitMQ 4.3`;
}

/** What a limit means for a migration. */
export function meaningOf(queue: string, { limit, isOwn, countsPauses, version }: DeliveryLimit): string {
  const origin = isOwn ? 'argument x-delivery-limit' : `default of RabbitMQ ${version}`;
  const counted = countsPauses ? 'when its process pauses, fails or is lost' : 'when its process is lost';
  return `Queue ${queue} has a delivery limit of ${limit} (${origin}; a policy may set another one): a message counts ${counted}, and beyond the limit it goes to the dead letter exchange, or is dropped where the queue has none`;
}
