import { ignoreNotFound } from '@kubewright/client';
import { defined, appsv1, corev1, type Stored } from '@kubewright/kube';
import { checkpointOf } from './checkpoints/checkpoint-of.ts';
import { hasControlQueue } from './process-queues.ts';
import { type Io, type Request, requestFor } from '@kubewright/runtime';
import { OperatorError } from '../operator-error.ts';
import type { Tools } from './act.ts';
import { isTerminal, type MigrationStatus, STATEFUL_MIGRATIONS, type StatefulMigration } from './api.ts';
import type {
  LivePod,
  ObservedBroker,
  ObservedCheckpoint,
  ObservedMigration,
  ObservedNodes,
} from './decide/observed-migration.ts';
import type { Place } from './decide/place-of.ts';
import { isShadowStaying } from './decide/is-shadow-staying.ts';
import { templateName } from './pods/template-revision.ts';
import { isOfNobody, isSequential } from './strategy.ts';
import { shadowName } from './mirror-name.ts';
import { observeBroker } from './observe-broker.ts';
import { observeNodes } from './observe-nodes.ts';
import { observePlace, podNamed, replicaSetOf, setOf } from './observe-place.ts';
import { observeVolumes } from './observe-volumes.ts';

/** The migration from the cache; everything else is read now, from the server and the broker. */
export async function observe(
  request: Request,
  io: Io,
  tools: Tools,
): Promise<ObservedMigration | undefined> {
  const migration = io.cache.get(STATEFUL_MIGRATIONS, request);
  if (migration === undefined) {
    forget(request, tools);
    return undefined;
  }
  if (isAtRest(migration) && tools.peers.isWaiting(request, BETWEEN_LOOKS_MS)) return undefined;
  const { status } = migration;
  const place = await observePlace(migration, io);
  if (status !== undefined && isTerminal(status)) return observeEnded(migration, place, io, tools);
  return observeOpen(migration, place, io, tools);
}

/** Of a migration that is not over. */
async function observeOpen(
  migration: StatefulMigration,
  place: Place,
  io: Io,
  tools: Tools,
): Promise<ObservedMigration> {
  const { settings } = tools;
  const { status } = migration;
  const { named } = place;
  const [template, shadow, set, replicaSet, node, volumes] = await Promise.all([
    templateOf(migration, io),
    podNamed(migration, status?.targetPod ?? shadowName(migration, false), io),
    setOf(migration, named, io),
    replicaSetOf(migration, named, io),
    nodeOf(migration, io),
    volumesOf(migration, named, io),
  ]);
  const [broker, checkpoint] = await Promise.all([
    observeBroker(migration, named, io, tools),
    askAgent(migration, tools),
  ]);
  const others = await othersOf(migration, broker, io);
  const nodes = await askNodes(migration, { broker, ...defined({ named, node }) }, io, tools);
  return {
    migration,
    settings,
    others,
    canCheckpoint: tools.agents !== undefined,
    open: isBegun(status) ? [] : openIn(migration, io),
    broker,
    ...place,
    ...defined({ template, shadow, set, replicaSet, node, volumes, checkpoint, nodes }),
  };
}

/** The broker has no part in it any more. */
async function observeEnded(
  migration: StatefulMigration,
  place: Place,
  io: Io,
  tools: Tools,
): Promise<ObservedMigration> {
  const { settings } = tools;
  forget(requestFor(migration), tools);
  const broker = { type: 'unavailable', message: 'not asked' } as const;
  const { status = { handedOver: false } } = migration;
  const stayed = isShadowStaying(status) ? await podNamed(migration, status.targetPod ?? '', io) : undefined;
  return { migration, settings, others: [], open: [], broker, ...place, ...defined({ shadow: stayed }) };
}

/** Less than what passes until the next look, which is due already. */
const BETWEEN_LOOKS_MS = 1500;

/** What has changed is what this operator has written while it waits for the broker. */
function isAtRest({ metadata, status }: StatefulMigration): boolean {
  const { deletionTimestamp, generation } = metadata;
  const isSeen = status?.observedGeneration === generation && status?.step === 'Preflight';
  return isSeen && deletionTimestamp === undefined;
}

/** Of a migration that is over or gone, its broker included. */
function forget(request: Request, { outages, peers, requests }: Tools): void {
  outages.end(request);
  requests.forget(request);
  peers.leave(request);
}

/** Of the source, before its migration begins. */
async function volumesOf({ status }: StatefulMigration, named: LivePod | undefined, { client }: Io) {
  return named === undefined || isBegun(status) ? undefined : observeVolumes(named, client);
}

/** Of a source that ends before there is another pod, which no controller makes. */
async function templateOf(migration: StatefulMigration, { client }: Io) {
  const { metadata, status = { handedOver: false } } = migration;
  if (status.handover === undefined || !isSequential(status) || !isOfNobody(status)) return undefined;
  const key = { namespace: metadata.namespace ?? '', name: templateName(migration) };
  return ignoreNotFound(client.get(appsv1.controllerrevisions, key));
}

/** Read as long as another node would be of use. */
async function nodeOf(
  { spec: { targetNode }, status }: StatefulMigration,
  { client }: Io,
): Promise<Stored<corev1.Node> | undefined> {
  if (targetNode === '' || isOnItsNode(status) || status?.outcome !== undefined) return undefined;
  return ignoreNotFound(client.get(corev1.nodes, { name: targetNode }));
}

/** A pod on the target node has the state. */
function isOnItsNode(status: MigrationStatus | undefined): boolean {
  if (status === undefined) return false;
  return isSequential(status) ? status.handover?.committed === true : status.handedOver;
}

/** From the server where the migration may begin: a cache may not know a new lock yet. */
async function othersOf(
  { metadata: { namespace, uid }, status }: StatefulMigration,
  broker: ObservedBroker,
  { client, cache }: Io,
): Promise<readonly StatefulMigration[]> {
  if (isBegun(status)) return [];
  const all =
    broker.type === 'reached'
      ? ((await client.list(STATEFUL_MIGRATIONS, { namespace })).items as readonly StatefulMigration[])
      : cache.list(STATEFUL_MIGRATIONS, { namespace });
  return all.filter((one) => one.metadata.uid !== uid && !isTerminal(one.status ?? { handedOver: false }));
}

/** Of all namespaces. One cache has them in the order in which they were written. */
function openIn({ metadata: { uid } }: StatefulMigration, { cache }: Io): readonly StatefulMigration[] {
  return cache
    .list(STATEFUL_MIGRATIONS)
    .filter((one) => one.metadata.uid !== uid && !isTerminal(one.status ?? { handedOver: false }));
}

function isBegun(status: MigrationStatus | undefined): boolean {
  return status?.step !== undefined && status.step !== 'Preflight' && status.step !== 'Lock';
}

/** Undefined where nothing depends on it: an application of the SDK does not wait for agents that do not respond. */
async function askNodes(
  migration: StatefulMigration,
  { named, node, broker }: Pick<ObservedMigration, 'named' | 'node' | 'broker'>,
  { client }: Io,
  { agents }: Tools,
): Promise<ObservedNodes | undefined> {
  const isAsked = !isBegun(migration.status) && mayBeProcess(migration, broker);
  return isAsked && named !== undefined
    ? observeNodes(migration, { named, node }, { client, agents })
    : undefined;
}

function mayBeProcess(migration: StatefulMigration, broker: ObservedBroker): boolean {
  return broker.type === 'reached' && broker.reports.size === 0 && hasControlQueue(migration, broker);
}

/** Undefined in all steps but that of the checkpoint. */
async function askAgent(
  migration: StatefulMigration,
  { agents }: Tools,
): Promise<ObservedCheckpoint | undefined> {
  const { status } = migration;
  if (status?.step !== 'Checkpoint' || agents === undefined) return undefined;
  try {
    const ref = checkpointOf(migration, status, status.handover?.epoch ?? 1);
    return { type: 'reached', state: await agents.get(ref) };
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
    return { type: 'unavailable', message: error.message };
  }
}
