import { ignoreNotFound, keyOf, type ResourceRef } from '@kubewright/client';
import { appsv1, corev1, type Stored } from '@kubewright/kube';
import { type ActOutcome, type Io, removeFinalizer, requestFor } from '@kubewright/runtime';
import { OperatorError } from '../operator-error.ts';
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
import { actOnBroker } from './act-on-broker.ts';
import type { BrokerAddresses } from './brokers/broker-addresses.ts';
import type { BrokerPeers } from './brokers/broker-peers.ts';
import type { BrokerOutages } from './broker-outages.ts';
import type { ReportRequests } from './report-requests.ts';
import { eachOf } from './checkpoints/each-of.ts';
import { isAllowedRepository, REPOSITORY_NOT_ALLOWED } from './checkpoints/is-allowed-repository.ts';
import type { NodeAgents } from './checkpoints/node-agents.ts';
import { type BrokerAction, isBrokerAction } from './decide/broker-action.ts';
import type { LivePod, MigrationAction } from './decide/observed-migration.ts';
import { isMaking, make } from './make.ts';
import type { Settings } from './settings.ts';

export type Tools = {
  readonly peers: BrokerPeers;
  readonly addresses: BrokerAddresses;
  readonly settings: Settings;
  readonly outages: BrokerOutages;
  readonly requests: ReportRequests;
  /** Undefined: processes cannot be checkpointed. */
  readonly agents?: NodeAgents;
};

/** Carries one action out. */
export async function act(action: MigrationAction, io: Io, tools: Tools): Promise<ActOutcome> {
  const { settings, agents } = tools;
  if (isBrokerAction(action)) return atBroker(action, io, tools);
  if (action.type === 'checkpoint' || action.type === 'removeCheckpoints') {
    // It may have changed since the checks.
    if (!isAllowedRepository(action.migration, settings))
      throw new OperatorError('Forbidden', REPOSITORY_NOT_ALLOWED);
    return actOnAgents(action, agents);
  }
  return actOnCluster(action, io);
}

/** What the broker does not permit it may in a moment: until then, the migration waits as for one that is away. */
async function atBroker(
  action: BrokerAction,
  io: Io,
  { peers, addresses, settings, outages }: Tools,
): Promise<ActOutcome> {
  const { migration } = action;
  const address = await addresses.of(migration, io);
  try {
    return await peers.use(requestFor(migration), address, (broker) =>
      actOnBroker(action, broker, { settings, clock: io.clock }),
    );
  } catch (error) {
    if (!(error instanceof OperatorError) || error.code !== 'Forbidden') throw error;
    outages.deny(migration.metadata, error.message, io.clock.monotonic());
    return 'conflict';
  }
}

type AgentAction = Extract<MigrationAction, { readonly type: 'checkpoint' | 'removeCheckpoints' }>;

/** Idempotent. Without agents nobody decides on these. */
async function actOnAgents(action: AgentAction, agents: NodeAgents | undefined): Promise<ActOutcome> {
  if (action.type === 'checkpoint') await agents?.begin(action.order);
  else await eachOf(action.refs.map((ref) => async () => agents?.remove(ref)));
  return 'done';
}

type ClusterAction = Exclude<MigrationAction, BrokerAction | AgentAction>;

async function actOnCluster(action: ClusterAction, io: Io): Promise<ActOutcome> {
  if (isMaking(action)) return make(action, io);
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
    case 'deleteTemplate':
      await remove(appsv1.controllerrevisions, action.template, io);
      return 'done';
    case 'deletePod':
      await remove(corev1.pods, action.pod, io);
      return 'done';
    default:
      return change(action.pod, changeFor(action), io);
  }
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
