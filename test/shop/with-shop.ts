import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Client } from '@kubewright/client';
import { Cluster } from '@kubewright/cluster';
import { corev1 } from '@kubewright/kube';
import { ManagerProcess } from './manager-process.ts';
import { OverheardRuntime } from './overheard-runtime.ts';
import { type RabbitMqBroker, startRabbitMqBroker } from './rabbitmq-broker.ts';
import type { ShopBroker } from './shop-broker.ts';

/** Containers are threads of this process; of the SDK, and as the original's sample is. */
export const IMAGES = { sdk: 'consumer:1', original: 'original-consumer:1' } as const;
export const NAMESPACE = 'shop';

/** A cluster, a broker and a manager with the operator, at work. */
export type Shop<B extends ShopBroker = ShopBroker> = {
  readonly cluster: Cluster;
  readonly client: Client;
  readonly workers: OverheardRuntime;
  readonly broker: B;
  readonly manager: ManagerProcess;
};

const HERE = fileURLToPath(new URL('../..', import.meta.url));
const CONSUMERS = 'test/contracts/migration/';

/**
 * Runs `measure` in a shop of its own, over RabbitMQ, and leaves nothing. Manager and consumers are those of another `checkout`,
 * where one is given, which was built.
 */
export async function withShop<T>(
  nodes: number,
  measure: (shop: Shop<RabbitMqBroker>) => Promise<T>,
  checkout?: string,
): Promise<T> {
  const shop = await openShop(nodes, startRabbitMqBroker, checkout);
  try {
    return await measure(shop);
  } finally {
    await shop.close();
  }
}

export async function openShop<B extends ShopBroker>(
  nodes: number,
  startBroker: () => Promise<B>,
  checkout?: string,
): Promise<Shop<B> & { close(): Promise<void> }> {
  const consumers = pathToFileURL(join(checkout ?? HERE, CONSUMERS));
  const workers = new OverheardRuntime({
    images: {
      [IMAGES.sdk]: new URL('consumer.mjs', consumers),
      [IMAGES.original]: new URL('original-consumer.mjs', consumers),
    },
    limit: 200,
  });
  const cluster = await Cluster.start({
    nodes: { nodes, runtimes: [workers] },
    listen: true,
    metrics: false,
  });
  const broker = await startBroker();
  const directory = mkdtempSync(join(tmpdir(), 'kubewright-shop-'));
  const kubeconfig = join(directory, 'kubeconfig');
  writeFileSync(kubeconfig, JSON.stringify(cluster.server.kubeconfig()), { mode: 0o600 });
  const client = cluster.client();
  const metadata = { name: NAMESPACE };
  await client.create(corev1.namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata, spec: {} });
  const manager = await ManagerProcess.start(kubeconfig, checkout);
  return {
    cluster,
    client,
    workers,
    broker,
    manager,
    async close() {
      await manager.stop();
      await workers.close();
      await cluster.stop();
      await broker.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
