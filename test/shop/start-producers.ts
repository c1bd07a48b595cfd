import { systemClock } from '@kubewright/client';
import { aborted } from '@kubewright/kube';
import type { AmqpConnection } from '@kubewright/migratable/amqp';
import { startLoad } from '../../packages/operators/src/migration/demo/start-load.ts';
import { EXCHANGE, type Shop } from './with-shop.ts';

export type Rate = { readonly perSecond: number; readonly producers: number };

/** Who publishes to a queue. */
export type Producers = {
  /** Messages that the broker went away with: it has them, or not. `PRODUCER SEQ` each. They are not sent again. */
  readonly unconfirmed: ReadonlySet<string>;
  /** Stops them; by producer, the number of the last message. */
  stop(): Promise<ReadonlyMap<string, number>>;
};

type Body = { readonly producer: string; readonly seq: number };
type Publish = (body: Body) => Promise<void>;

/** Each message is confirmed before the producer's next one. */
export function startProducers(
  { amqp }: Shop,
  routingKey: string,
  { perSecond, producers }: Rate,
): Producers {
  const names = Array.from({ length: producers }, (_, index) => `producer-${index + 1}`);
  const unconfirmed = new Set<string>();
  const channel = openChannel(amqp, routingKey);
  const publish = async ({ body }: { readonly body: unknown }): Promise<void> => {
    const message = body as Body;
    await (await channel.publish())(message).catch(() => {
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
      await channel.close();
      return new Map(names.map((name, index) => [name, counts[index] ?? 0]));
    },
  };
}

/** One channel of all producers, and another one when it is lost. */
function openChannel(amqp: AmqpConnection, routingKey: string) {
  const over = new AbortController();
  let opened: (publish: Publish) => void = () => undefined;
  const next = (): Promise<Publish> => new Promise((resolve) => (opened = resolve));
  let open = next();
  const use = (): Promise<void> =>
    amqp.onChannel(async (channel) => {
      await channel.confirmSelect();
      const lost = new Promise((resolve) => channel.once('close', resolve));
      opened((body) => channel.basicPublish({ exchange: EXCHANGE, routingKey, durable: true }, body));
      await Promise.race([lost, aborted(over.signal)]);
      open = next();
    });
  const run = async (): Promise<void> => {
    while (!over.signal.aborted) await use().catch(() => undefined);
  };
  const ended = run();
  return {
    /** Resolves when the broker is there. */
    publish: (): Promise<Publish> => open,
    async close(): Promise<void> {
      over.abort();
      await ended;
    },
  };
}
