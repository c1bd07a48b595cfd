import { appsv1, corev1, type Stored } from '@kubewright/kube';
import { waitForObject } from '@kubewright/runtime';
import { isReady } from '../../packages/operators/src/migration/testing/migration-calls.ts';
import { type Producers, type Rate, startProducers } from './start-producers.ts';
import { EXCHANGE } from './shop-broker.ts';
import { IMAGES, NAMESPACE, type Shop } from './with-shop.ts';

/** A StatefulSet with one pod, which consumes a queue, and who publishes to it. */
export type Application = {
  readonly name: string;
  readonly queue: string;
  readonly pod: string;
  readonly source: Stored<corev1.Pod>;
  readonly producers: Producers;
  remove(): Promise<void>;
};

/** What a consumer needs for a message: it applies about 65 a second, as in the original's evaluation. */
const DELAY_MS = 15;
const PATIENT = { timeoutMs: 120_000 };

export async function startApplication(
  shop: Shop,
  name: string,
  kind: keyof typeof IMAGES,
  rate: Rate,
): Promise<Application> {
  const { client, broker } = shop;
  const queue = `${name}.events`;
  await broker.declare(queue);
  const key = { namespace: NAMESPACE, name };
  await client.create(appsv1.statefulsets, statefulSet(shop, name, kind, queue));
  const pod = `${name}-0`;
  const source = await ready(shop, pod);
  const producers = startProducers(broker, queue, rate);
  return {
    name,
    queue,
    pod,
    source,
    producers,
    async remove() {
      await producers.stop();
      await client.delete(appsv1.statefulsets, key);
      await waitForObject(client, corev1.pods, { ...key, name: pod }, (live) => live === undefined, PATIENT);
      await broker.remove(queue);
    },
  };
}

export async function ready({ client }: Shop, name: string): Promise<Stored<corev1.Pod>> {
  const pod = await waitForObject(client, corev1.pods, { namespace: NAMESPACE, name }, isReady, PATIENT);
  if (pod === undefined) throw new TypeError(`pod ${name} is gone`);
  return pod;
}

function statefulSet({ broker: { url } }: Shop, name: string, kind: keyof typeof IMAGES, queue: string) {
  // Both read what they know.
  const values = {
    BROKER_URL: url,
    QUEUE: queue,
    RABBITMQ_URL: url.replace('://', '://guest:guest@'),
    QUEUE_NAME: queue,
    EXCHANGE_NAME: EXCHANGE,
    PROCESSING_DELAY_MS: String(DELAY_MS),
  };
  const env = Object.entries(values).map(([one, value]) => ({ name: one, value }));
  const template = {
    metadata: { labels: { app: name } },
    spec: { containers: [{ name: 'main', image: IMAGES[kind], env }] },
  };
  return {
    apiVersion: 'apps/v1' as const,
    kind: 'StatefulSet' as const,
    metadata: { name, namespace: NAMESPACE },
    spec: { serviceName: name, replicas: 1, selector: { matchLabels: { app: name } }, template },
  };
}
