import { setTimeout as delay } from 'node:timers/promises';
import { appsv1, corev1, type KubeObject } from '@kubewright/kube';
import { waitForObject } from '@kubewright/runtime';
import type { Application } from '../../test/shop/start-application.ts';
import type { RabbitMqBroker } from '../../test/shop/rabbitmq-broker.ts';
import { EXCHANGE } from '../../test/shop/shop-broker.ts';
import { NAMESPACE, type Shop } from '../../test/shop/with-shop.ts';

/** After so long the original stops to wait for the mirror to be empty; so its evaluation is configured. */
const CUTOFF_MS = 120_000;
/** The same, of the replay to the pod that gets the name back; fixed in its code. */
const MINI_CUTOFF_MS = 15_000;
const PATIENT = { timeoutMs: 120_000 };

type Run = { readonly shop: Shop<RabbitMqBroker>; readonly app: Application; readonly targetNode: string };

/**
 * Moves the pod of a StatefulSet as the original's operator does, in its order and with its intervals: strategy ShadowPod,
 * identitySwapMode Cutoff. What it needs for images is left out: a checkpoint is on the target node at once.
 */
export async function migrateAsOriginal(run: Run): Promise<void> {
  const { shop, app } = run;
  const mirror = `${app.queue}.ms2m-replay`;
  const shadow = `${app.pod}-shadow`;
  await createMirror(run, mirror);
  const image = await checkpoint(run, app.pod, app.source.spec.nodeName ?? '', 1);
  await restore(run, shadow, image);
  await runs(shop, shadow);
  await replay(run, { pod: shadow, mirror, limitMs: CUTOFF_MS, everyMs: backOff });
  await tell(run, shadow, { type: 'END_REPLAY' });
  await deleteMirror(run, mirror);
  // The name: the source goes at once, the StatefulSet is scaled to none and pinned to the node.
  await createMirror(run, mirror);
  await scale(run, 0);
  await deleteNow(shop, app.pod);
  const again = await checkpoint(run, shadow, run.targetNode, 2);
  // Nobody owns it until the StatefulSet is scaled up again, which may be too late: that one may have adopted and deleted it.
  await restore(run, app.pod, again);
  await scale(run, 1);
  await runs(shop, app.pod);
  await unbind(run, mirror);
  await replay(run, { pod: app.pod, mirror, limitMs: MINI_CUTOFF_MS, everyMs: () => 1000 });
  await tell(run, app.pod, { type: 'END_REPLAY' });
  await shop.broker.amqp.onChannel((channel) => channel.queueDelete({ queue: mirror }));
  await deleteNow(shop, shadow);
}

function createMirror({ shop, app }: Run, mirror: string): Promise<void> {
  return shop.broker.amqp.onChannel(async (channel) => {
    await channel.queueDeclare({ queue: mirror, durable: true });
    await channel.queueBind({ queue: mirror, exchange: EXCHANGE, routingKey: app.queue });
  });
}

function unbind({ shop, app }: Run, queue: string): Promise<void> {
  return shop.broker.amqp.onChannel((channel) =>
    channel.queueUnbind({ queue, exchange: EXCHANGE, routingKey: app.queue }),
  );
}

async function deleteMirror(run: Run, queue: string): Promise<void> {
  await unbind(run, queue);
  await run.shop.broker.amqp.onChannel((channel) => channel.queueDelete({ queue }));
}

/** Resolves with an image of it that is on the target node. */
async function checkpoint({ shop, app }: Run, pod: string, node: string, number: number): Promise<string> {
  const { cluster, workers } = shop;
  const path = `/api/v1/nodes/${node}/proxy/checkpoint/${NAMESPACE}/${pod}/main`;
  const { body, status } = await cluster.transport().request({ method: 'POST', path, headers: {} });
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString();
  if (status !== 200) throw new TypeError(`checkpoint of ${pod}: ${status} ${text}`);
  const [archive = ''] = (JSON.parse(text) as { readonly items: readonly string[] }).items;
  const image = `localhost/checkpoint/${app.name}:${number}`;
  const bytes = await cluster.nodes.checkpoints.read(archive);
  await workers.loadCheckpoint(image, bytes ?? new Uint8Array());
  return image;
}

/** A pod of the checkpoint on the target node, with the labels of the source and no owner. */
async function restore({ shop, app, targetNode }: Run, name: string, image: string): Promise<void> {
  const { metadata, spec } = app.source;
  const [container] = spec.containers;
  const set = await shop.client.get(appsv1.statefulsets, { namespace: NAMESPACE, name: app.name });
  const labels = { ...metadata.labels, 'controller-revision-hash': set.status?.updateRevision ?? '' };
  const containers = [{ name: 'main', image, imagePullPolicy: 'Never', env: container?.env ?? [] }];
  const pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: NAMESPACE, labels },
    spec: { nodeName: targetNode, containers },
  } as KubeObject;
  await shop.client.create(corev1.pods, pod as never);
}

async function runs({ client }: Shop, name: string): Promise<void> {
  const isRunning = (live: corev1.Pod | undefined): boolean => live?.status?.phase === 'Running';
  await waitForObject(client, corev1.pods, { namespace: NAMESPACE, name }, isRunning, PATIENT);
}

type Replay = {
  readonly pod: string;
  readonly mirror: string;
  readonly limitMs: number;
  readonly everyMs: (elapsedMs: number) => number;
};

/** Until the mirror has no message that is ready, or for so long. */
async function replay(run: Run, { pod, mirror, limitMs, everyMs }: Replay): Promise<void> {
  await tell(run, pod, { type: 'START_REPLAY', payload: { queue: mirror } });
  const began = performance.now();
  for (;;) {
    const elapsed = performance.now() - began;
    if ((await depth(run, mirror)) === 0 || elapsed >= limitMs) return;
    await delay(everyMs(elapsed));
  }
}

function backOff(elapsedMs: number): number {
  return elapsedMs < 10_000 ? 1000 : elapsedMs < 30_000 ? 2000 : 5000;
}

function depth({ shop }: Run, queue: string): Promise<number> {
  return shop.broker.amqp.onChannel(
    async (channel) => (await channel.queueDeclare({ queue, passive: true })).messageCount,
  );
}

/** By the control queue of the pod, which it may not have declared yet. */
function tell({ shop }: Run, pod: string, command: object): Promise<void> {
  const queue = `ms2m.control.${pod}`;
  return shop.broker.amqp.onChannel(async (channel) => {
    await channel.queueDeclare({ queue, durable: true });
    await channel.basicPublish({ routingKey: queue, durable: true }, command);
  });
}

async function scale({ shop, app, targetNode }: Run, replicas: number): Promise<void> {
  const nodeSelector = { 'kubernetes.io/hostname': targetNode };
  const body = { spec: { replicas, template: { spec: { nodeSelector } } } };
  const key = { namespace: NAMESPACE, name: app.name };
  await shop.client.patch(appsv1.statefulsets, key, { type: 'merge', body });
}

async function deleteNow({ client }: Shop, name: string): Promise<void> {
  const key = { namespace: NAMESPACE, name };
  await client.delete(corev1.pods, key, { gracePeriodSeconds: 0 });
  await waitForObject(client, corev1.pods, key, (live) => live === undefined, PATIENT);
}
