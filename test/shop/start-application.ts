import { setTimeout as delay } from 'node:timers/promises';
import { ignoreNotFound } from '@kubewright/client';
import { appsv1, corev1, type Stored } from '@kubewright/kube';
import { waitForObject } from '@kubewright/runtime';
import { isReady } from '../../packages/operators/src/migration/testing/migration-calls.ts';
import { type Producers, type Rate, startProducers } from './start-producers.ts';
import { EXCHANGE } from './shop-broker.ts';
import { IMAGES, NAMESPACE, type Shop } from './with-shop.ts';

/** Who makes the pod of an application. */
export type Owner = 'StatefulSet' | 'Deployment' | 'Nobody';

/** One pod, which consumes a queue, and who publishes to it. */
export type Application = {
  readonly name: string;
  readonly owner: Owner;
  readonly queue: string;
  readonly pod: string;
  readonly source: Stored<corev1.Pod>;
  readonly producers: Producers;
  remove(): Promise<void>;
};

/** What a consumer needs for a message: it applies about 65 a second, as in the original's evaluation. */
const DELAY_MS = 15;
const PATIENT = { timeoutMs: 120_000 };
const LOOK_MS = 50;

export async function startApplication(
  shop: Shop,
  name: string,
  kind: keyof typeof IMAGES,
  rate: Rate,
  owner: Owner = 'StatefulSet',
): Promise<Application> {
  const { client, broker } = shop;
  const queue = `${name}.events`;
  await broker.declare(queue);
  const remove = await make(shop, { name, template: templateOf(shop, { name, kind, queue }), owner });
  const source = await firstPod(shop, name);
  const producers = startProducers(broker, queue, rate);
  return {
    name,
    owner,
    queue,
    pod: source.metadata.name,
    source,
    producers,
    async remove() {
      await producers.stop();
      await remove();
      for (const { metadata } of await podsOf(shop, name))
        await waitForObject(client, corev1.pods, metadata, (live) => live === undefined, PATIENT);
      await broker.remove(queue);
    },
  };
}

/** The pods of an application. */
export async function podsOf({ client }: Shop, name: string): Promise<readonly Stored<corev1.Pod>[]> {
  return (await client.list(corev1.pods, { namespace: NAMESPACE, labelSelector: `app=${name}` })).items;
}

async function firstPod(shop: Shop, name: string): Promise<Stored<corev1.Pod>> {
  for (const deadline = Date.now() + PATIENT.timeoutMs; Date.now() < deadline; await delay(LOOK_MS)) {
    const [pod] = await podsOf(shop, name);
    if (pod !== undefined) return ready(shop, pod.metadata.name);
  }
  throw new TypeError(`${name} has no pod`);
}

/** Resolves when the pod is ready. */
export async function ready({ client }: Shop, name: string): Promise<Stored<corev1.Pod>> {
  const pod = await waitForObject(client, corev1.pods, { namespace: NAMESPACE, name }, isReady, PATIENT);
  if (pod === undefined) throw new TypeError(`pod ${name} is gone`);
  return pod;
}

type Template = ReturnType<typeof templateOf>;

/** Returns how it is deleted. */
async function make(
  { client }: Shop,
  { name, template, owner }: { readonly name: string; readonly template: Template; readonly owner: Owner },
): Promise<() => Promise<unknown>> {
  const metadata = { name, namespace: NAMESPACE };
  const spec = { replicas: 1, selector: { matchLabels: { app: name } }, template };
  switch (owner) {
    case 'StatefulSet': {
      const set = {
        apiVersion: 'apps/v1',
        kind: owner,
        metadata,
        spec: { ...spec, serviceName: name },
      } as const;
      await client.create(appsv1.statefulsets, set);
      return () => client.delete(appsv1.statefulsets, metadata);
    }
    case 'Deployment':
      await client.create(appsv1.deployments, { apiVersion: 'apps/v1', kind: owner, metadata, spec });
      return () => client.delete(appsv1.deployments, metadata);
    case 'Nobody': {
      const { labels } = template.metadata;
      const pod = {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { ...metadata, labels },
        spec: template.spec,
      } as const;
      await client.create(corev1.pods, pod);
      // It may have been lost.
      return () => ignoreNotFound(client.delete(corev1.pods, metadata));
    }
  }
}

type Consumer = { readonly name: string; readonly kind: keyof typeof IMAGES; readonly queue: string };

function templateOf({ broker: { url } }: Shop, { name, kind, queue }: Consumer) {
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
  return {
    metadata: { labels: { app: name } },
    spec: { containers: [{ name: 'main', image: IMAGES[kind], env }] },
  };
}
