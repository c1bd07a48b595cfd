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
  /** For operators: calls reject with `Unavailable` while the broker is down. */
  connect(): Broker {
    return brokerPort(this);
  }

  /** For applications: calls wait while the broker is down. */
  messages(): Messages {
    return new InProcessMessages(this);
  }
}
