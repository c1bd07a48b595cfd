import type { Client } from '@kubewright/client';
import type { History } from '@kubewright/cluster';
import { appsv1, compareText, corev1, controllerOf, type Stored } from '@kubewright/kube';
import type { StatefulMigration } from '@kubewright/operators';
import { wasLostSince } from './lose-nodes.ts';
import { NAMESPACE, type Workload } from './manifests.ts';
import type { MigrationWorld } from './world.ts';

const OURS = 'migration.ms2m.io/migration';
const ROLE = 'migration.ms2m.io/role';

/** What migrations that are over have left behind. */
export async function leftOf(
  client: Client,
  world: MigrationWorld,
  lives: readonly (StatefulMigration | undefined)[],
): Promise<string | undefined> {
  const { broker, workloads, late, stale, originals, lost } = world;
  const { items } = await client.list(corev1.pods, { namespace: NAMESPACE });
  const whole = workloads.filter(({ name, controller }) => {
    const isGone = lost.size > 0 && controller === undefined;
    return !isGone || items.some(({ metadata }) => metadata.labels?.['app'] === name);
  });
  const odd = whole.map((workload) => oddPods(items, workload)).find((one) => one !== undefined);
  if (odd !== undefined) return odd;
  const marked = markedPod(items) ?? (await templateLeft(client));
  if (marked !== undefined) return marked;
  const kept = await unreported(client, originals.checkpoints);
  if (kept.length > 0) return `checkpoints are left: ${kept.join(' ')}`;
  // Of a pod that went when all was over, nobody deletes what its process had declared.
  const gone = lives.flatMap((live) => (live && wasLostSince(live, world) ? [live.status?.targetPod] : []));
  const pods = [...items.map(({ metadata }) => metadata.name), ...gone];
  const names = new Set(pods.map((name) => `ms2m.control.${name}`));
  const orphan = [...broker.queues.keys()].find((name) => name.endsWith('-shadow') && !names.has(name));
  if (orphan !== undefined) return `queue ${orphan} is left`;
  const queues = [...broker.queues.values()].filter(
    ({ name }) => /\.mig\.|^ms2m\.(snapshot|hold)\./.test(name) && !stale.includes(name),
  );
  const lasting = queues.filter(({ name, args }) => !late.has(name) || args['x-expires'] === undefined);
  return lasting.length > 0 ? `queues are left: ${lasting.map(({ name }) => name).join(' ')}` : undefined;
}

function markedPod(pods: readonly Stored<corev1.Pod>[]): string | undefined {
  const locked = pods.find(({ metadata: { labels = {} } }) => (labels[ROLE] ?? 'restored') !== 'restored');
  if (locked !== undefined)
    return `pod ${locked.metadata.name} is marked as ${locked.metadata.labels?.[ROLE]}`;
  const held = pods.find(({ metadata: { finalizers = [] } }) => finalizers.length > 0);
  return held && `pod ${held.metadata.name} has ${held.metadata.finalizers?.join(' ')}`;
}

/** Of a pod that nobody controls. */
async function templateLeft(client: Client): Promise<string | undefined> {
  const ofUs = { namespace: NAMESPACE, labelSelector: OURS };
  const { items } = await client.list(appsv1.controllerrevisions, ofUs);
  return items.map(({ metadata }) => `ControllerRevision ${metadata.name} is left`)[0];
}

/** Checkpoints of which no Event says that their agent did not respond, and may keep them. */
async function unreported(client: Client, checkpoints: readonly string[]): Promise<readonly string[]> {
  if (checkpoints.length === 0) return [];
  const { items } = await client.list(corev1.events, { namespace: NAMESPACE });
  const left = items.filter(({ reason }) => reason === 'CheckpointLeft').map(({ message = '' }) => message);
  return checkpoints.filter((id) => !left.some((message) => message.includes(id)));
}

/** There are as many pods as before, and who made them controls them. */
function oddPods(
  pods: readonly corev1.Pod[],
  { name, queues, controller, pods: kept }: Workload,
): string | undefined {
  const own = pods.filter(({ metadata }) => metadata.labels?.['app'] === name);
  const names = own.map(({ metadata }) => metadata.name ?? '').toSorted(compareText);
  const isNamed = kept === undefined || names.join(' ') === kept.join(' ');
  if (own.length !== queues.length || !isNamed) return `pods are ${names.join(' ')}`;
  const foreign = own.find((pod) => controllerOf(pod)?.kind !== controller);
  return foreign && `pod ${foreign.metadata.name} belongs to ${controllerOf(foreign)?.kind ?? 'nobody'}`;
}

/** The set is as it was made, and of its pods only the one that is migrated was ever touched. */
export function siblingsTouched(history: History): string | undefined {
  const generations = history.of('statefulsets', 'consumer').map(({ object }) => object.metadata.generation);
  if (generations.some((generation) => generation !== 1)) return 'the StatefulSet was edited';
  const moved = new Set(movesIn(history).map(({ spec }) => spec.sourcePod));
  const siblings = new Set(podNames(history).filter((name) => SIBLING.test(name) && !moved.has(name)));
  for (const name of siblings) {
    const written = history.of('pods', name);
    if (new Set(written.map(({ object }) => object.metadata.uid)).size > 1) return `${name} was made anew`;
    const isMarked = written.some(({ object }) => object.metadata.labels?.[OURS] !== undefined);
    if (isMarked) return `${name} was marked`;
  }
  return undefined;
}

const SIBLING = /^consumer-\d+$/;

function podNames({ all }: History): readonly string[] {
  return all.filter(({ resource }) => resource === 'pods').map(({ object }) => object.metadata.name);
}

function movesIn({ all }: History): readonly StatefulMigration[] {
  return all
    .filter(({ resource }) => resource === 'statefulmigrations')
    .map(({ object }) => object as StatefulMigration);
}

/**
 * A StatefulSet would adopt a pod with a name of its own that nobody controls, and delete it where it wants fewer. There never is
 * one.
 */
export function orphaned(history: History): string | undefined {
  const names = new Set(podNames(history).filter((name) => /^consumer-\d+$/.test(name)));
  return [...names]
    .filter((name) => history.of('pods', name).some(({ object }) => controllerOf(object) === undefined))
    .map((name) => `${name} was an orphan`)[0];
}

/** Nobody has a new template. */
export function deploymentsTouched(history: History): string | undefined {
  const generations = history.of('deployments', 'web').map(({ object }) => object.metadata.generation);
  return generations.some((generation) => generation !== 1) ? 'the Deployment was edited' : undefined;
}

/** Once the state is handed over the migration never ends without it; a final phase is final. */
export function wentBack(history: History): string | undefined {
  const names = new Set(movesIn(history).map(({ metadata }) => metadata.name));
  return [...names].map((name) => wentBackIn(history, name)).find((one) => one !== undefined);
}

function wentBackIn(history: History, name: string): string | undefined {
  const statuses = history
    .of('statefulmigrations', name)
    .map(({ object }) => (object as StatefulMigration).status ?? NOTHING);
  const wrong = statuses.slice(1).map((status, index) => stepBack(statuses[index] ?? NOTHING, status));
  return wrong.find((one) => one !== undefined);
}

type Status = NonNullable<StatefulMigration['status']>;
const NOTHING: Status = { handedOver: false };
const FINAL: ReadonlySet<string> = new Set(['Completed', 'Failed', 'Rejected', 'Aborted']);

function stepBack(before: Status, { handedOver, phase }: Status): string | undefined {
  if (before.handedOver && !handedOver) return 'a handover was forgotten';
  if (before.handedOver && phase === 'Aborted') return 'aborted after the handover';
  const { phase: last } = before;
  return last !== undefined && FINAL.has(last) && phase !== last ? `${last} -> ${phase}` : undefined;
}
