import { rabbitmqBrokers } from '@kubewright/operators';
import { connectAmqp } from '@kubewright/migratable/amqp';
import type { BrokerUnderTest } from '../../../packages/operators/src/migration/brokers/broker.contract.ts';
import { startTcpProxy } from '../../support/tcp-proxy.ts';

export type AmqpUnderTest = BrokerUnderTest & {
  readonly url: string;
  /** See `TcpProxy`. */
  readonly halve: () => () => void;
  readonly close: () => Promise<void>;
};

/** Over a wire that can be cut. */
export async function amqpUnderTest(target: { readonly port: number }): Promise<AmqpUnderTest> {
  const wire = await startTcpProxy(target);
  const url = `amqp://guest:guest@127.0.0.1:${wire.port}`;
  const brokers = rabbitmqBrokers();
  const messages = connectAmqp({ url });
  const admin = connectAmqp({ url: `amqp://guest:guest@127.0.0.1:${target.port}` });
  return {
    url,
    broker: brokers.at({ url }),
    messages,
    declareExchange: (exchange, type) =>
      admin.onChannel((channel) => channel.exchangeDeclare({ exchange, type })),
    publish: (exchange, routingKey, published) =>
      admin.onChannel(async (channel) => {
        await channel.confirmSelect();
        const sent = published.map(({ body, headers }) =>
          channel.basicPublish({ exchange, routingKey, ...(headers && { headers }) }, body),
        );
        await Promise.all(sent);
      }),
    disconnect: async () => wire.cut('reset'),
    halve: () => wire.halve(),
    async close() {
      await Promise.all([brokers.close(), messages.close(), admin.close()]);
      await wire.close();
    },
  };
}
