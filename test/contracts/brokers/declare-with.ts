import { connectAmqp } from '@kubewright/migratable/amqp';

export type QueueArguments = Readonly<Record<string, string | number | boolean>>;

/** Declares a durable queue with arguments of RabbitMQ, as an administrator does. */
export async function declareWith(url: string, queue: string, args: QueueArguments): Promise<void> {
  const admin = connectAmqp({ url });
  try {
    await admin.onChannel(
      async (channel) => void (await channel.queueDeclare({ queue, durable: true, arguments: args })),
    );
  } finally {
    await admin.close();
  }
}
