import { queueArguments } from '@kubewright/migratable';
import { OperatorError } from '../../../operator-error.ts';
import type { Broker, DeliveryLimit } from '../broker.ts';
import type { BrokerCore } from './broker-core.ts';
import type { InProcessQueue } from './in-process-queue.ts';
import { messageOf, rawMessage } from './raw-message.ts';

/** The in-process broker for an operator. */
export function brokerPort(broker: BrokerCore): Broker {
  const ask = async <T>(answer: () => T): Promise<T> => {
    if (broker.isDown) throw new OperatorError('Unavailable', 'the broker is down');
    return answer();
  };
  return {
    reach: () => ask(() => undefined),
    queue: (name) =>
      ask(() => {
        broker.permit(name);
        const queue = broker.queues.get(name);
        return queue === undefined ? undefined : { ready: queue.ready, consumers: queue.consumers };
      }),
    exchangeExists: (name) => ask(() => broker.exchangeType(name) !== undefined),
    deliveryLimit: (name) => ask(() => deliveryLimitOf(broker.queues.get(name))),
    declareQueue: (name, options) => ask(() => void broker.declareQueue(name, queueArguments(options))),
    declarePlainQueue: (name, like) =>
      ask(() => {
        const { type, args } = (like === undefined ? undefined : broker.queues.get(like)) ?? {};
        broker.declareQueue(name, type === undefined ? {} : { ...args, 'x-queue-type': type });
      }),
    deleteQueue: (name) => ask(() => void broker.deleteQueue(name)),
    bind: ({ exchange, ...bound }) => ask(() => broker.bind(exchange, bound)),
    unbind: ({ exchange, ...bound }) => ask(() => broker.unbind(exchange, bound)),
    send: (queue, message) =>
      ask(() => (broker.publish('', queue, rawMessage(message)) > 0 ? 'sent' : 'unroutable')),
    peek: (name) =>
      ask(() => {
        broker.permit(name);
        const head = broker.queues.get(name)?.head;
        return head === undefined ? undefined : messageOf(head);
      }),
  };
}

function deliveryLimitOf(queue: InProcessQueue | undefined): DeliveryLimit | undefined {
  const { deliveryLimit: limit = Infinity, args } = queue ?? {};
  if (limit === Infinity) return undefined;
  return { limit, isOwn: args?.['x-delivery-limit'] !== undefined, countsPauses: false, version: '4.3' };
}
