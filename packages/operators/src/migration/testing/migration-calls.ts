import type { Client } from '@kubewright/client';
import { corev1, isConditionTrue, type KubeObject, type Stored, type Transport } from '@kubewright/kube';
import type { Message } from '@kubewright/migratable';
import { waitForObject } from '@kubewright/runtime';
import { STATEFUL_MIGRATIONS, type StatefulMigration } from '../api.ts';
import type { Applied } from './check-applied.ts';

/** A broker that the operator and the pods reach by its URL, and where the suite publishes. */
export type BrokerForLoad = {
  readonly url: string;
  /** A queue bound to the exchange `orders` under its routing key. */
  declare(queue: string): Promise<void>;
  publish(queue: string, message: Message): Promise<void>;
  /** Under which its messages are published. Default: its own name. */
  readonly routingKey?: (queue: string) => string;
  /** So many messages are published at least. Default: as many as a migration takes. */
  readonly messages?: number;
};

/** What an operator under test may reach. */
export const LOCAL_BROKERS = { MS2M_BROKERS: '127.0.0.1' };

/** Containers of this image are consumers; nodes of the cluster under test need to know. */
export const CONSUMER = 'consumer:1';
/** The phases of a migration that is over. */
export const ENDS = ['Completed', 'Failed', 'Rejected', 'Aborted'];
export const PATIENT = { timeoutMs: 240_000 };
export const PATIENT_POLL = { timeout: 240_000, interval: 500 };

type Place = { readonly admin: Client; readonly namespace: string };

/** Creates a migration of this pod, whose consumer has this queue. */
export function moveCalls(
  place: () => Place,
  { queue, broker }: { readonly queue: string; readonly broker: () => BrokerForLoad },
) {
  return async (name: string, sourcePod: string, targetNode: string, more = {}): Promise<void> => {
    const { admin, namespace } = place();
    const { url: brokerUrl, routingKey = (name: string) => name } = broker();
    const messageQueueConfig = {
      queueName: queue,
      exchangeName: 'orders',
      routingKey: routingKey(queue),
      brokerUrl,
    };
    await admin.create<KubeObject>(STATEFUL_MIGRATIONS, {
      apiVersion: 'migration.ms2m.io/v1alpha1',
      kind: 'StatefulMigration',
      metadata: { name, namespace },
      spec: { sourcePod, targetNode, messageQueueConfig, ...more },
    });
  };
}

/** Resolves when the migration is in one of these phases. */
export async function reached(
  { admin, namespace }: Place,
  name: string,
  phases: readonly string[],
): Promise<Stored<StatefulMigration>> {
  const isThere = (live: StatefulMigration | undefined): boolean =>
    phases.includes(live?.status?.phase ?? '');
  const found = await waitForObject(admin, STATEFUL_MIGRATIONS, { namespace, name }, isThere, PATIENT);
  if (found === undefined) throw new TypeError('the migration is gone');
  return found;
}

export async function migrationGone({ admin, namespace }: Place, name: string): Promise<void> {
  const isGone = (live: StatefulMigration | undefined): boolean => live === undefined;
  await waitForObject(admin, STATEFUL_MIGRATIONS, { namespace, name }, isGone, PATIENT);
}

const WEBHOOKS = {
  group: 'admissionregistration.k8s.io',
  version: 'v1',
  kind: 'MutatingWebhookConfiguration',
};
const HOOK = { name: 'kubewright-migration' };

/** Deletes the configuration of the webhook; returns how it comes back. */
export async function withoutWebhook(admin: Client): Promise<() => Promise<void>> {
  const { apiVersion, kind, metadata, webhooks = [] } = await admin.get<KubeObject>(WEBHOOKS, HOOK);
  await admin.delete(WEBHOOKS, HOOK);
  const { name } = metadata;
  return async () => {
    await admin.create<KubeObject>(WEBHOOKS, { apiVersion, kind, metadata: { name }, webhooks });
  };
}

/** How often it was reported that a pod was made without the state. */
export async function blankPods({ admin, namespace }: Place): Promise<number> {
  const { items } = await admin.list(corev1.events, { namespace });
  return items.filter(({ reason }) => reason === 'BlankPodReplaced').length;
}

export function isReady(pod: corev1.Pod | undefined): boolean {
  return isConditionTrue((pod?.status?.conditions ?? []) as never, 'Ready');
}

const OWN_NAME = { name: 'POD_NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } };

/** What a pod asks the image {@link CONSUMER} to do. Its queue may be named after it: `$(POD_NAME)`. */
export function consumerTemplate(
  app: string,
  { queue, url }: { readonly queue: string; readonly url: string },
) {
  const env = [OWN_NAME, { name: 'QUEUE', value: queue }, { name: 'BROKER_URL', value: url }];
  return { metadata: { labels: { app } }, spec: { containers: [{ name: 'main', image: CONSUMER, env }] } };
}

/** What a consumer has in memory. It says what it restores, and then what it applies: each line is a message. */
export async function appliedBy(
  transport: Transport,
  { namespace, name }: { readonly namespace: string; readonly name: string },
): Promise<readonly Applied[]> {
  const path = `/api/v1/namespaces/${namespace}/pods/${name}/log`;
  const response = await transport.request({ method: 'GET', path, headers: {} });
  const chunks: Uint8Array[] = [];
  for await (const chunk of response.body) chunks.push(chunk);
  const lines = Buffer.concat(chunks).toString().trimEnd().split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as Applied);
}
