import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Client } from '@kubewright/client';
import { Cluster } from '@kubewright/cluster';
import { corev1 } from '@kubewright/kube';
import { type AmqpConnection, connectAmqp } from '@kubewright/migratable/amqp';
import { type RabbitMq, startRabbitMq } from '../servers/rabbitmq.ts';
import { ManagerProcess } from './manager-process.ts';
import { OverheardRuntime } from './overheard-runtime.ts';

/** Containers are threads of this process; of the SDK, and as the original's sample is. */
export const IMAGES = { sdk: 'consumer:1', original: 'original-consumer:1' } as const;
export const NAMESPACE = 'shop';
/** As in the original's evaluation; its operator works with no other type. */
export const EXCHANGE = 'orders';

/** A cluster, a RabbitMQ and a manager with the operator, at work. */
export type Shop = {
  readonly cluster: Cluster;
  readonly client: Client;
  readonly workers: OverheardRuntime;
  readonly url: string;
  readonly amqp: AmqpConnection;
  readonly rabbit: RabbitMq;
  readonly manager: ManagerProcess;
};

const CONSUMERS = '../contracts/migration';

/** Runs `measure` in a shop of its own, and leaves nothing. */
export async function withShop<T>(nodes: number, measure: (shop: Shop) => Promise<T>): Promise<T> {
  const shop = await openShop(nodes);
  try {
    return await measure(shop);
  } finally {
    await shop.close();
  }
}

export async function openShop(nodes: number): Promise<Shop & { close(): Promise<void> }> {
  const workers = new OverheardRuntime({
    images: {
      [IMAGES.sdk]: new URL(`${CONSUMERS}/consumer.mjs`, import.meta.url),
      [IMAGES.original]: new URL(`${CONSUMERS}/original-consumer.mjs`, import.meta.url),
    },
    limit: 200,
  });
  const cluster = await Cluster.start({
    nodes: { nodes, runtimes: [workers] },
    listen: true,
    metrics: false,
  });
  const rabbit = await startRabbitMq();
  const url = `amqp://127.0.0.1:${rabbit.port}`;
  const amqp = connectAmqp({ url });
  const directory = mkdtempSync(join(tmpdir(), 'kubewright-shop-'));
  const kubeconfig = join(directory, 'kubeconfig');
  writeFileSync(kubeconfig, JSON.stringify(cluster.server.kubeconfig()), { mode: 0o600 });
  const client = cluster.client();
  const metadata = { name: NAMESPACE };
  await client.create(corev1.namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata, spec: {} });
  const manager = await ManagerProcess.start(kubeconfig);
  return {
    cluster,
    client,
    workers,
    url,
    amqp,
    rabbit,
    manager,
    async close() {
      await manager.stop();
      await amqp.close();
      await workers.close();
      await cluster.stop();
      await rabbit.stop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
