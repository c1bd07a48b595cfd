import { errors, type Subscription } from '@nats-io/transport-node';
import type { NatsLink } from './nats-link.ts';
import { aliveSubject } from './record-subject.ts';

/** `gone`: the server says that nobody is there. `silent`: somebody is, who does not respond. */
export type ConsumerState = 'alive' | 'silent' | 'gone';

const RESPONDS_MS = 1000;

/** Whether a consumer that has taken a queue still consumes. */
export function consumerState(link: NatsLink, consumer: string): Promise<ConsumerState> {
  return link.use(async ({ connection }) => {
    try {
      await connection.request(aliveSubject(consumer), '', { timeout: RESPONDS_MS });
      return 'alive';
    } catch (error) {
      if (error instanceof errors.TimeoutError) return 'silent';
      if (error instanceof errors.RequestError && error.isNoResponders()) return 'gone';
      throw error;
    }
  });
}

/** Responds to others, until the subscription is ended or the connection lost. */
export function respondAs(link: NatsLink, consumer: string, signal: AbortSignal): Promise<Subscription> {
  return link.use(async ({ connection }) => {
    const callback = (error: Error | null, message: { respond(): boolean }): void => {
      if (error === null) message.respond();
    };
    const subscription = connection.subscribe(aliveSubject(consumer), { callback });
    // Nobody may look before the server knows of it.
    await connection.flush();
    return subscription;
  }, signal);
}
