import { ignoreNotFound, keyOf, type ResourceRef } from '@kubewright/client';
import { corev1, type Stored } from '@kubewright/kube';
import { type Command, commandMessage } from '@kubewright/migratable';
import { type ActOutcome, type Io, removeFinalizer } from '@kubewright/runtime';
import {
  COMPONENT,
  COST_BEFORE,
  DELETION_COST,
  FINALIZER,
  LABELS,
  LEAST_COST,
  NAME_FINALIZER,
  ROLES,
  STATEFUL_MIGRATIONS,
  type StatefulMigration,
} from './api.ts';
import type { Broker, Brokers } from './brokers/broker.ts';
import type { BrokerAddresses } from './brokers/broker-addresses.ts';
import type { NodeAgents } from './checkpoints/node-agents.ts';
import type { LivePod, MigrationAction } from './decide/observed-migration.ts';
import { shadowPod } from './pods/shadow-pod.ts';
import type { Settings } from './settings.ts';

export type Tools = {
  readonly brokers: Brokers;
  readonly addresses: BrokerAddresses;
  readonly settings: Settings;
  /** Undefined: processes cannot be checkpointed. */
  readonly agents?: NodeAgents;
};

/** Queues of a migration that is never finished expire. */
const EXPIRES_MS = 3_600_000;

/** Carries one action out. */
export async function act(
  action: MigrationAction,
  io: Io,
  { brokers, addresses, settings, agents }: Tools,
): Promise<ActOutcome> {
  switch (action.type) {
    case 'addFinalizer':
      await addFinalizer(action.migration, io);
      return 'done';
    case 'removeFinalizer':
      await removeFinalizer(io, STATEFUL_MIGRATIONS, action.migration, FINALIZER, {
        fieldManager: COMPONENT,
      });
      return 'done';
    case 'deleteMigration':
      await remove(STATEFUL_MIGRATIONS, action.migration, io);
      return 'done';
    case 'createShadow':
      await io.client.create(
        corev1.pods,
        shadowPod(action.source, action.migration, action.migration.status?.targetPod ?? ''),
        { fieldManager: COMPONENT },
      );
      return 'done';
    case 'deletePod':
      await remove(corev1.pods, action.pod, io);
      return 'done';
    case 'checkpoint':
      await agents?.begin(action.order);
      return 'done';
    case 'removeCheckpoints':
      for (const ref of action.refs) await agents?.remove(ref);
      return 'done';
    default:
      return isOfBroker(action)
        ? actOnBroker(action, brokers.at(await addresses.of(action.migration, io)), settings)
        : change(action.pod, changeFor(action), io);
  }
}

function isOfBroker(action: BrokerAction | PodChange): action is BrokerAction {
  return !('pod' in action);
}

type PodChange = Extract<
  MigrationAction,
  { readonly type: 'lock' | 'unlock' | 'cheapen' | 'release' | 'settle' | 'keepName' | 'freeName' }
>;

type MetadataPatch = {
  readonly labels?: Readonly<Record<string, string | null>>;
  readonly annotations?: Readonly<Record<string, string | null>>;
  readonly ownerReferences?: null;
  readonly finalizers?: readonly string[];
};

function changeFor(action: PodChange): MetadataPatch {
  switch (action.type) {
    case 'lock':
      return {
        labels: { [LABELS.migration]: action.migration.metadata.uid, [LABELS.role]: ROLES.source },
      };
    case 'unlock':
      return unlocked(action.pod);
    case 'cheapen':
      return { annotations: cheapest(action.pod) };
    case 'release':
      return { ownerReferences: null };
    case 'settle':
      return { labels: { [LABELS.role]: ROLES.restored } };
    case 'keepName':
      return { finalizers: [...otherFinalizers(action.pod), NAME_FINALIZER] };
    case 'freeName':
      return { finalizers: otherFinalizers(action.pod) };
  }
}

function otherFinalizers({ metadata: { finalizers = [] } }: LivePod): readonly string[] {
  return finalizers.filter((one) => one !== NAME_FINALIZER);
}

type BrokerAction = Extract<
  MigrationAction,
  {
    readonly type:
      | 'createMirror'
      | 'declareQueue'
      | 'declarePlainQueue'
      | 'deleteQueues'
      | 'send'
      | 'tell'
      | 'leaveCommand';
  }
>;

/** Idempotent. */
async function actOnBroker(action: BrokerAction, broker: Broker, settings: Settings): Promise<ActOutcome> {
  switch (action.type) {
    case 'createMirror':
      await createMirror(action.migration, action.mirror, broker, settings);
      return 'done';
    case 'declareQueue':
      await broker.declareQueue(action.queue, { expiresMs: EXPIRES_MS });
      return 'done';
    case 'declarePlainQueue':
      await broker.declareQueue(action.queue);
      return 'done';
    case 'tell':
      return (await broker.send(action.queue, { body: action.command })) === 'sent' ? 'done' : 'conflict';
    case 'leaveCommand':
      await broker.deleteQueue(action.queue);
      await broker.declareQueue(action.queue);
      return (await broker.send(action.queue, { body: action.command })) === 'sent' ? 'done' : 'conflict';
    case 'deleteQueues':
      for (const queue of action.queues) await broker.deleteQueue(queue);
      return 'done';
    case 'send':
      return send(broker, action.queue, action.command);
  }
}

async function createMirror(
  { spec: { messageQueueConfig } }: StatefulMigration,
  queue: string,
  broker: Broker,
  { mirrorLength }: Settings,
): Promise<void> {
  const { exchangeName: exchange, routingKey } = messageQueueConfig;
  await broker.declareQueue(queue, { expiresMs: EXPIRES_MS, maxLength: mirrorLength });
  await broker.bind({ queue, exchange, routingKey });
}

/** A consumer without a queue has not started yet, or is gone: the next observation shows which. */
async function send(broker: Broker, queue: string, command: Command): Promise<ActOutcome> {
  return (await broker.send(queue, commandMessage(command))) === 'sent' ? 'done' : 'conflict';
}

/** By server-side apply, guarded by the uid: the status was just written, so the resourceVersion is stale. */
async function addFinalizer(
  { apiVersion, kind, metadata }: StatefulMigration,
  { client }: Io,
): Promise<void> {
  const { name, namespace, uid } = metadata;
  const wanted = { apiVersion, kind, metadata: { name, namespace, uid, finalizers: [FINALIZER] } };
  await client.apply(STATEFUL_MIGRATIONS, wanted, { fieldManager: COMPONENT, force: true });
}

function unlocked({ metadata: { annotations = {} } }: LivePod): MetadataPatch {
  const labels = { [LABELS.migration]: null, [LABELS.role]: null };
  const before = annotations[COST_BEFORE];
  if (before === undefined || annotations[DELETION_COST] !== LEAST_COST) return { labels };
  return { labels, annotations: { [DELETION_COST]: before === '' ? null : before, [COST_BEFORE]: null } };
}

function cheapest({ metadata: { annotations = {} } }: LivePod): Readonly<Record<string, string>> {
  return { [DELETION_COST]: LEAST_COST, [COST_BEFORE]: annotations[DELETION_COST] ?? '' };
}

/** Of two migrations that lock the same pod, one gets a conflict. */
async function change(pod: LivePod, metadata: MetadataPatch, { client }: Io): Promise<ActOutcome> {
  const { resourceVersion, uid } = pod.metadata;
  const body = { metadata: { uid, resourceVersion, ...metadata } };
  await client.patch(corev1.pods, keyOf(pod), { type: 'merge', body }, { fieldManager: COMPONENT });
  return 'done';
}

/** Deletes exactly this object; a pod with its grace period. */
async function remove(ref: ResourceRef, object: Stored, { client }: Io): Promise<void> {
  const preconditions = { uid: object.metadata.uid };
  await ignoreNotFound(client.delete(ref, keyOf(object), { preconditions }));
}
