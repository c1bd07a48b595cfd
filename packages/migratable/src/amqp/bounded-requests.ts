import type { Channel } from 'rabbitmq-client';

/** Waits for the response of a broker, for as long as that may take. */
export type Responded = <T>(response: Promise<T>) => Promise<T>;

/**
 * A channel of which each request is bounded, and not its use: an application may consume on one channel for as long as it runs,
 * and whoever ended its connection would have it apply messages twice that it has not acked yet.
 */
export function boundedRequests(channel: Channel, responded: Responded): Channel {
  return new Proxy(channel, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      return (...values: readonly unknown[]): unknown => {
        const result: unknown = Reflect.apply(value, target, values);
        return result instanceof Promise ? responded(result) : result;
      };
    },
  });
}
