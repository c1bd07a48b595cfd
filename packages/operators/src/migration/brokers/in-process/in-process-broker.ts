import type { Messages } from '@kubewright/migratable';
import type { Broker } from '../broker.ts';
import { BrokerCore } from './broker-core.ts';
import { brokerPort } from './broker-port.ts';
import { InProcessMessages } from './in-process-messages.ts';

/**
 * A broker in this process, with the semantics of RabbitMQ: exchanges, durable queues, acks, requeueing in place, exclusive
 * consumers. `serveAmqp` lets other threads and processes in.
 *
 * @example
 * const broker = new InProcessBroker();
 * broker.declareExchange('events', 'fanout');
 */
export class InProcessBroker extends BrokerCore {
  /** As an operator uses it: what it asks for while the broker is down rejects as `Unavailable`. */
  connect(): Broker {
    return brokerPort(this);
  }

  /** As an application uses it: it waits while the broker is down. */
  messages(): Messages {
    return new InProcessMessages(this);
  }
}
