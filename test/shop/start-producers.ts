import { systemClock } from '@kubewright/client';
import { startLoad } from '../../packages/operators/src/migration/demo/start-load.ts';
import type { ShopBroker } from './shop-broker.ts';

export type Rate = { readonly perSecond: number; readonly producers: number };

/** Who publishes to a queue. */
export type Producers = {
  /** Messages that the broker went away with: it has them, or not. `PRODUCER SEQ` each. They are not sent again. */
  readonly unconfirmed: ReadonlySet<string>;
  /** Stops them; by producer, the number of the last message. */
  stop(): Promise<ReadonlyMap<string, number>>;
};

type Body = { readonly producer: string; readonly seq: number };

/** Each message is confirmed before the producer's next one. */
export function startProducers(broker: ShopBroker, queue: string, { perSecond, producers }: Rate): Producers {
  const names = Array.from({ length: producers }, (_, index) => `producer-${index + 1}`);
  const unconfirmed = new Set<string>();
  const publisher = broker.publisher(queue);
  const publish = async ({ body }: { readonly body: unknown }): Promise<void> => {
    const message = body as Body;
    await publisher.publish(message).catch(() => {
      unconfirmed.add(`${message.producer} ${message.seq}`);
    });
  };
  const loads = names.map((producer) =>
    startLoad({ producer, perSecond: perSecond / producers, publish, clock: systemClock }),
  );
  return {
    unconfirmed,
    async stop() {
      const counts = await Promise.all(loads.map((load) => load.stop()));
      await publisher.close();
      return new Map(names.map((name, index) => [name, counts[index] ?? 0]));
    },
  };
}
