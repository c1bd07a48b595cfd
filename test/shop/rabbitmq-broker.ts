import { aborted } from '@kubewright/kube';
import { type AmqpConnection, connectAmqp } from '@kubewright/migratable/amqp';
import { type RabbitMqOptions, startRabbitMq } from '../servers/rabbitmq.ts';
import { EXCHANGE, type Publisher, type ShopBroker } from './shop-broker.ts';

export type RabbitMqBroker = ShopBroker & {
  readonly amqp: AmqpConnection;
  /** Whether there is a queue of that name. */
  exists(queue: string): Promise<boolean>;
};

export type ShopRabbitMq = Pick<RabbitMqOptions, 'release' | 'config'> & {
  /** With which the queues of applications are declared. */
  readonly args?: Readonly<Record<string, string | number>>;
};

export async function startRabbitMqBroker({
  args = {},
  ...options
}: ShopRabbitMq = {}): Promise<RabbitMqBroker> {
  const server = await startRabbitMq(options);
  const url = `amqp://127.0.0.1:${server.port}`;
  const amqp = connectAmqp({ url });
  return {
    url,
    version: () => server.version(),
    amqp,
    routingKey: (queue) => queue,
    declare: (queue) =>
      amqp.onChannel(async (channel) => {
        await channel.exchangeDeclare({ exchange: EXCHANGE, type: 'direct', durable: true });
        await channel.queueDeclare({ queue, durable: true, arguments: args });
        await channel.queueBind({ queue, exchange: EXCHANGE, routingKey: queue });
        await channel.queueDeclare({ queue: `${queue}.end`, durable: true });
      }),
    remove: (queue) =>
      amqp.onChannel(async (channel) => {
        await channel.queueDelete({ queue });
        await channel.queueDelete({ queue: `${queue}.end` });
      }),
    publisher: (queue) => publisherOf(amqp, queue),
    // A passive declaration of a queue that is not there closes the channel.
    exists: (queue) =>
      amqp.onChannel((channel) =>
        channel.queueDeclare({ queue, passive: true }).then(
          () => true,
          () => false,
        ),
      ),
    queues: () => server.queues(),
    restart: () => server.restart(),
    async close() {
      await amqp.close();
      await server.stop();
    },
  };
}

type Publish = Publisher['publish'];

/** One channel of all producers, and another one when it is lost. */
function publisherOf(amqp: AmqpConnection, routingKey: string): Publisher {
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
    publish: async (body) => (await open)(body),
    async close() {
      over.abort();
      await ended;
    },
  };
}
