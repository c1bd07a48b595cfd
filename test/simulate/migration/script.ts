import { ignoreNotFound, type ObjectKey, sleep } from '@kubewright/client';
import type { ScenarioContext } from '@kubewright/cluster';
import { appsv1, compareText, corev1, isConditionTrue, type KubeObject } from '@kubewright/kube';
import { STATEFUL_MIGRATIONS, STEP_NAMES, type StatefulMigration } from '@kubewright/operators';
import { evict, evictionName } from './evict.ts';
import { isLossDue, loseNodes } from './lose-nodes.ts';
import { isPodDue, type LossOfPod, losePod } from './lose-pod.ts';
import type { LossOfNodes } from './loss-of-nodes.ts';
import { makeAgain } from './make-again.ts';
import {
  boundVolume,
  BROKER,
  move,
  moveName,
  NAMESPACE,
  type Workload,
  type WorkloadKind,
  WORKLOADS,
} from './manifests.ts';
import { isOver, migrationOf, OVER } from './migration-of.ts';
import { type MigrationWorld, type Processes, worldOf } from './world.ts';

/** Queues of the protocol, but for those that applications of the original read. */
const GUARDED = /^ms2m\.(?!control)/;
const PRODUCERS = ['till', 'web'];

/** Pods move from one to the other. */
export const NODES = ['node-1', 'node-2'];

const WEBHOOKS = {
  group: 'admissionregistration.k8s.io',
  version: 'v1',
  kind: 'MutatingWebhookConfiguration',
};
const HOOK = { name: 'kubewright-migration' };

/** The migration of the first workload. */
const MOVE = moveName(0);

type OutageOf = 'kills' | 'halves' | 'forbids';

/** What happens beside the migration. */
export type MigrationStory = {
  /** A pod of each is migrated, one after the other. What else the story says is of the first. Default: a StatefulSet's. */
  readonly workloads?: readonly WorkloadKind[];
  /** Who ends it, and when: when it has come to this step, or some time after it began. */
  readonly end?: { readonly by: 'abort' | 'deletion' | 'foreground'; readonly at: string | number };
  /** How often the pod of each moves, there and back. Default: once, there. */
  readonly roundTrips?: number;
  /** Messages in the mirrors that earlier migrations have left: of the original operator, and of ours. */
  readonly stale?: number;
  /** How long the broker is down, once, some time after the migration began. */
  readonly outageMs?: number;
  /** At which step, instead; in which handover. */
  readonly outageAt?: { readonly step: string; readonly epoch: number };
  /**
   * `kills`: the broker is killed, and forgets what it has not written to disk. `halves`: connections are lost, which it notices
   * when the outage is over. `forbids`: it responds, and permits nothing at the queues of the protocol. Default: it cannot be
   * reached.
   */
  readonly outageOf?: OutageOf | undefined;
  /** With which arguments the queues are declared. Default: none. */
  readonly queues?: QueueArguments;
  /** What queues are of whom nobody says the type: default `classic`. */
  readonly defaultType?: 'quorum';
  /** Messages that wait when it begins. */
  readonly backlog?: number;
  /** Nobody publishes anything. */
  readonly silent?: boolean;
  /** Nothing is moved. */
  readonly dryRun?: boolean;
  /** The WebhookConfiguration is away, from before the migration until pods were made twice without their state. */
  readonly unhooked?: boolean;
  /** The object is deleted so long after its end. */
  readonly ttlSecs?: number;
  /** How long nobody may consume before a handover is undone. Default: as long as it takes. */
  readonly pauseSecs?: number;
  /** How many messages a mirror keeps. Default: as many as there are. */
  readonly mirrorLength?: number;
  /** The largest state for which the source stands still. Default: 0, the target catches up with a source that goes on. */
  readonly copyBytes?: number;
  /** Pods of other workloads than the first are moved because they are evicted. */
  readonly evicts?: boolean;
  /** Nodes that are lost, for good or for a while. */
  readonly nodesLost?: LossOfNodes;
  /** A pod is lost. */
  readonly podLost?: LossOfPod;
  /** Somebody makes the pod, which nobody controls, again whenever there is none. */
  readonly remade?: boolean;
  /** What the processes in the pods are like. */
  readonly processes?: Partial<Processes>;
};

type QueueArguments = Readonly<Record<string, string | number>>;
const QUORUM: QueueArguments = { 'x-queue-type': 'quorum' };
/** What primary queues are. */
const QUEUES: readonly Pick<MigrationStory, 'queues' | 'defaultType'>[] = [
  {},
  { defaultType: 'quorum' },
  { queues: QUORUM },
  { queues: { ...QUORUM, 'x-delivery-limit': 3 } },
];

/** A story, or the kinds of workloads of which one is drawn, with the rest of the story. */
type Chosen = MigrationStory | readonly WorkloadKind[];

/** Somebody publishes, somebody migrates, and somebody may change their mind. */
export async function script(context: ScenarioContext, chosen: Chosen): Promise<void> {
  const world = worldOf(context.signal);
  const story = Array.isArray(chosen) ? drawnStory(context, chosen) : (chosen as MigrationStory);
  setOut(world, story);
  const { roundTrips } = story;
  const later = laterStory(story);
  if (story.evicts === true) await context.client.create<KubeObject>(corev1.secrets, BROKER);
  for (const kind of story.workloads ?? ['StatefulSet']) {
    const workload: Workload = WORKLOADS[kind];
    await begin(context, workload, story);
    const moves = roundTrips === undefined ? 1 : 2 * roundTrips;
    for (let left = moves; left > 0; left--)
      await moveUnderLoad(context, workload, world.moves.length === 0 ? story : later);
  }
  world.isOver = true;
}

/** What of a story is of all its migrations. */
function laterStory({ ttlSecs, silent, evicts = false }: MigrationStory): MigrationStory {
  return {
    ...(ttlSecs !== undefined && { ttlSecs }),
    ...(silent !== undefined && { silent }),
    evicts,
  };
}

/** What is so from the beginning. */
function setOut(world: MigrationWorld, story: MigrationStory): void {
  const { silent, ttlSecs, stale, defaultType = 'classic' } = story;
  world.broker.defaultType = defaultType;
  world.isSilent = silent === true;
  world.mayEnd = hasReasonToEnd(story);
  world.expires = ttlSecs !== undefined;
  if (stale === undefined) return;
  for (const queue of ['orders-0.ms2m-replay', 'orders-0.mig.00000000.1']) world.leave(queue, stale);
}

function hasReasonToEnd(story: MigrationStory): boolean {
  const { end: wanted, pauseSecs, nodesLost, mirrorLength, outageOf, processes } = story;
  const reasons = [wanted, pauseSecs, nodesLost, mirrorLength, outageOf === 'kills', processes?.forgets];
  return reasons.some((one) => one !== undefined && one !== false);
}

/** Its pods run, and messages wait for the one that moves. */
async function begin(
  { client, ...context }: ScenarioContext,
  workload: Workload,
  { backlog = 0, queues = {} }: MigrationStory,
): Promise<void> {
  const world = worldOf(context.signal);
  for (const queue of workload.queues) world.declare(queue, queues);
  world.workloads.push(workload);
  await create(client, workload);
  await until({ client, ...context }, async () => {
    const pods = await podsOf(client, workload);
    return pods.length === workload.queues.length && pods.every((pod) => isReady(pod));
  });
  // No pod moves to a node that has not been ready yet.
  await until({ client, ...context }, async () => {
    const { items } = await client.list(corev1.nodes);
    const isEach = items.length >= NODES.length;
    return isEach && items.every(({ spec }) => (spec.taints ?? []).length === 0);
  });
  for (let count = backlog; count > 0; count--) world.publish(movedQueue(workload), 'early');
}

function movedQueue({ queues, moved = 0 }: Workload): string {
  return queues[moved] ?? '';
}

async function moveUnderLoad(
  context: ScenarioContext,
  workload: Workload,
  story: MigrationStory,
): Promise<void> {
  const { client, clock, random, signal } = context;
  const world = worldOf(signal);
  const queue = movedQueue(workload);
  const unhooked = story.unhooked === true ? await unhook(context) : () => Promise.resolve();
  const source = (await podsOf(client, workload))[workload.moved ?? 0];
  if (source === undefined) throw new TypeError('there is no pod to move');
  const isEvicted = story.evicts === true && world.moves.length > 0;
  const key = isEvicted ? evictionName(source) : moveName(world.moves.length);
  world.isBegun = false;
  const publishing = story.silent === true ? Promise.resolve() : publish(context, world, key);
  await sleep(clock, random.below(1000));
  const sourcePod = source.metadata.name;
  const targetNode = NODES.find((name) => name !== source.spec.nodeName) ?? '';
  const order = {
    ...key,
    sourcePod,
    queue,
    targetNode,
    ttlSecondsAfterFinished: story.ttlSecs,
    dryRun: story.dryRun,
    migrationStrategy: workload.strategy,
  };
  if (isEvicted) await evict(context.client, source, { key, ttlSecs: story.ttlSecs });
  else await client.create<KubeObject>(STATEFUL_MIGRATIONS, move(order));
  world.moves.push(key.name);
  world.isBegun = true;
  const lost = loss(context, story, { source: source.spec.nodeName ?? '', target: targetNode });
  const trouble = [end(context, story), outage(context, world, story), podLoss(context, story)];
  const remade = makeAgain(context, workload, { migration: key, isWanted: story.remade });
  await Promise.all([publishing, ...trouble, unhooked(), lost, remade]);
  await until(context, () => isOver(context, key));
}

async function create(client: ScenarioContext['client'], { object, claims = [] }: Workload): Promise<void> {
  for (const name of claims) {
    const [volume, claim] = boundVolume(name);
    await client.create<KubeObject>(corev1.persistentvolumes, volume);
    const made = await client.create<KubeObject>(corev1.persistentvolumeclaims, claim);
    await client.update<KubeObject>(
      corev1.persistentvolumeclaims,
      { ...made, status: { phase: 'Bound' } },
      { subresource: 'status' },
    );
  }
  const wanted = object();
  const resources = { StatefulSet: appsv1.statefulsets, Deployment: appsv1.deployments, Pod: corev1.pods };
  await client.create<KubeObject>(resources[wanted.kind as keyof typeof resources], wanted);
}

/** In the order of their names. */
async function podsOf(client: ScenarioContext['client'], { name }: Workload) {
  const { items } = await client.list(corev1.pods, { namespace: NAMESPACE, labelSelector: `app=${name}` });
  return items.toSorted((a, b) => compareText(a.metadata.name, b.metadata.name));
}

/** Every third migration is to be ended, in every third the broker goes away. */
function drawnStory({ random }: ScenarioContext, kinds: readonly WorkloadKind[]): MigrationStory {
  const by = random.pick(['abort', 'deletion', undefined, undefined, undefined, undefined] as const);
  const at = random.below(2) === 0 ? random.below(12_000) : (random.pick(STEP_NAMES) ?? '');
  const workload = random.pick(kinds);
  return {
    workloads: [workload ?? 'StatefulSet'],
    ...(by === undefined ? {} : { end: { by, at } }),
    ...(random.below(3) === 0
      ? {
          outageMs: random.below(8000),
          outageOf: random.pick(['kills', 'halves', 'forbids', undefined] as const),
        }
      : {}),
    ...random.pick(QUEUES),
    ...(random.below(4) === 0 ? { backlog: random.below(300) } : {}),
  };
}

/** From before the migration until it is over. */
async function publish(context: ScenarioContext, world: MigrationWorld, key: ObjectKey): Promise<void> {
  const { clock, random, signal } = context;
  while (!signal.aborted && !(world.isBegun && (await isOver(context, key)))) {
    for (const queue of Object.keys(world.published))
      for (let burst = random.below(6); burst > 0; burst--)
        world.publish(queue, random.pick(PRODUCERS) ?? '');
    await sleep(clock, random.below(700));
  }
}

async function end({ client, ...context }: ScenarioContext, { end: wanted }: MigrationStory): Promise<void> {
  if (wanted === undefined) return;
  const { at, by } = wanted;
  if (typeof at === 'number') await sleep(context.clock, at);
  else await until({ client, ...context }, async () => isAt(await migrationOf(client, MOVE), at), 20);
  const patch = { type: 'merge', body: { spec: { abort: true } } } as const;
  const options = by === 'foreground' ? ({ propagationPolicy: 'Foreground' } as const) : {};
  await ignoreNotFound(
    by === 'abort'
      ? client.patch(STATEFUL_MIGRATIONS, MOVE, patch)
      : client.delete(STATEFUL_MIGRATIONS, MOVE, options),
  );
}

function isAt(live: StatefulMigration | undefined, step: string): boolean {
  return live === undefined || OVER.has(live.status?.phase ?? '') || live.status?.step === step;
}

async function outage(
  context: ScenarioContext,
  world: MigrationWorld,
  { outageMs = 0, outageAt, outageOf }: MigrationStory,
): Promise<void> {
  const { clock, random } = context;
  if (outageMs === 0) return;
  if (outageAt === undefined) await sleep(clock, random.below(15_000));
  else await until(context, async () => isOutageDue(await migrationOf(context.client, MOVE), outageAt), 20);
  const over = beginOutage(world.broker, outageOf);
  await sleep(clock, outageMs);
  over();
}

/** Returns what ends it. */
function beginOutage(broker: MigrationWorld['broker'], of: MigrationStory['outageOf']): () => void {
  if (of === 'halves') return broker.halveAll();
  if (of === 'forbids') {
    broker.forbid((queue) => GUARDED.test(queue));
    return () => broker.forbid();
  }
  if (of === 'kills') broker.kill();
  else broker.isDown = true;
  return () => void (broker.isDown = false);
}

async function loss(
  context: ScenarioContext,
  { nodesLost }: MigrationStory,
  places: Readonly<Record<'source' | 'target', string>>,
): Promise<void> {
  if (nodesLost === undefined) return;
  await until(context, async () => isLossDue(await migrationOf(context.client, MOVE), nodesLost), 20);
  const names = nodesLost.nodes.map((which) => places[which]);
  await loseNodes(context, worldOf(context.signal), { names, of: nodesLost.of });
}

async function podLoss(context: ScenarioContext, { podLost }: MigrationStory): Promise<void> {
  if (podLost === undefined) return;
  const world = worldOf(context.signal);
  const now = () => migrationOf(context.client, MOVE);
  await until(context, async () => isPodDue(world, await now(), podLost), 20);
  const live = await now();
  if (live !== undefined) await losePod(context, world, live, podLost);
}

function isOutageDue(
  live: StatefulMigration | undefined,
  { step, epoch }: NonNullable<MigrationStory['outageAt']>,
): boolean {
  const { phase = '', step: current, handover } = live?.status ?? {};
  return live === undefined || OVER.has(phase) || (current === step && handover?.epoch === epoch);
}

/** How the configuration comes back when it was missed. */
async function unhook(context: ScenarioContext): Promise<() => Promise<void>> {
  const { client } = context;
  const { apiVersion, kind, metadata, webhooks = [] } = await client.get<KubeObject>(WEBHOOKS, HOOK);
  await client.delete(WEBHOOKS, HOOK);
  return async () => {
    await until(context, async () => (await blankPods(client)) > 1 || isOver(context, MOVE));
    await client.create<KubeObject>(WEBHOOKS, {
      apiVersion,
      kind,
      metadata: { name: metadata.name },
      webhooks,
    });
  };
}

async function blankPods(client: ScenarioContext['client']): Promise<number> {
  const { items } = await client.list(corev1.events, { namespace: MOVE.namespace });
  const counts = items.filter(({ reason }) => reason === 'BlankPodReplaced').map(({ count = 1 }) => count);
  return counts.reduce((sum, count) => sum + count, 0);
}

async function until(
  { clock, signal }: ScenarioContext,
  isSo: () => Promise<boolean>,
  everyMs: number = 300,
): Promise<void> {
  while (!signal.aborted && !(await isSo())) await sleep(clock, everyMs, signal);
}

function isReady(pod: corev1.Pod | undefined): boolean {
  return isConditionTrue((pod?.status?.conditions ?? []) as never, 'Ready');
}
