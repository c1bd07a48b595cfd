import { ignoreNotFound, type ObjectKey, sleep } from '@kubewright/client';
import { type Component, type ScenarioContext, drawFaults, type Scenario } from '@kubewright/cluster';
import { appsv1, compareText, corev1, isConditionTrue, type KubeObject } from '@kubewright/kube';
import {
  migrationParts,
  migrationPartsWith,
  type MigrationSteps,
  STATEFUL_MIGRATIONS,
  STEP_NAMES,
  type StatefulMigration,
} from '@kubewright/operators';
import { clusterComponent } from '../cluster-component.ts';
import { type OperatorDay, operatorScenario } from '../operator-scenario.ts';
import { evict, evictionName } from './evict.ts';
import { flakyBrokers, travelOver } from './flaky-brokers.ts';
import { flakyAgents } from './original-runtime.ts';
import { deploymentsTouched, leftOf, orphaned, siblingsTouched, wentBack } from './invariants.ts';
import {
  BROKER,
  move,
  moveName,
  NAMESPACE,
  type Workload,
  type WorkloadKind,
  WORKLOADS,
} from './manifests.ts';
import { beginWorld, type MigrationWorld, type Pace, worldOf } from './world.ts';

const PRODUCERS = ['till', 'web'];
/** Calls that the operator makes for one migration, about. */
const CALLS = 220;
/** Clocks jump here: limits of steps are for tests of decisions. */
const PATIENT = { MS2M_STEP_SECS: '100000', MS2M_PAUSE_SECS: '100000', MS2M_CONSUMER_SECS: '100000' };

const WEBHOOKS = {
  group: 'admissionregistration.k8s.io',
  version: 'v1',
  kind: 'MutatingWebhookConfiguration',
};
const HOOK = { name: 'kubewright-migration' };

/** The migration of the first workload. */
const MOVE = moveName(0);

const NODES = ['node-1', 'node-2'];
const CONTROLLERS = [
  'statefulset-controller',
  'deployment-controller',
  'replicaset-controller',
  'garbage-collector-controller',
  'node-lifecycle-controller',
] as const;

const clusterAt = (pace?: MigrationStory['pace']): Component => ({
  name: 'cluster',
  start(environment) {
    const { consumers, originals } = beginWorld(environment.signal, environment.clock, pace);
    const nodes = { nodes: NODES.length, runtimes: [consumers, originals], leaseRenewMs: 20_000 };
    return clusterComponent({ controllers: CONTROLLERS, nodes, storage: false }).start(environment);
  },
});

/** What happens beside the migration. */
export type MigrationStory = {
  /** A pod of each is migrated, one after the other. What else the story says is of the first. Default: a StatefulSet's. */
  readonly workloads?: readonly WorkloadKind[];
  /** Who ends it, and when: when it has come to this step, or some time after it began. */
  readonly end?: { readonly by: 'abort' | 'deletion'; readonly at: string | number };
  /** How often the pod of each moves, there and back. Default: once, there. */
  readonly roundTrips?: number;
  /** Messages in the mirrors that earlier migrations have left: of the original operator, and of ours. */
  readonly stale?: number;
  /** How long the broker is down, once, some time after the migration began. */
  readonly outageMs?: number;
  /** At which step, instead; in which handover. */
  readonly outageAt?: { readonly step: string; readonly epoch: number };
  /** Messages that wait when it begins. */
  readonly backlog?: number;
  /** Nobody publishes anything. */
  readonly silent?: boolean;
  /** The WebhookConfiguration is away, from before the migration until pods were made twice without their state. */
  readonly unhooked?: boolean;
  /** The object is deleted so long after its end. */
  readonly ttlSecs?: number;
  /** How long nobody may consume before a handover is undone. Default: as long as it takes. */
  readonly pauseSecs?: number;
  /** Pods of other workloads than the first are moved because they are evicted. */
  readonly evicts?: boolean;
  /** How fast the processes in the pods are. */
  readonly pace?: Partial<Pace>;
};

/** A story, or the kinds of workloads of which one is drawn, with the rest of the story. */
type Chosen = MigrationStory | readonly WorkloadKind[];

/** Somebody publishes, somebody migrates, and somebody may change their mind. */
async function script(context: ScenarioContext, chosen: Chosen): Promise<void> {
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
function setOut(
  world: MigrationWorld,
  { silent, end: wanted, pauseSecs, ttlSecs, stale }: MigrationStory,
): void {
  world.isSilent = silent === true;
  world.mayEnd = wanted !== undefined || pauseSecs !== undefined;
  world.expires = ttlSecs !== undefined;
  if (stale === undefined) return;
  for (const queue of ['orders-0.ms2m-replay', 'orders-0.mig.00000000.1']) world.leave(queue, stale);
}

/** Its pods run, and messages wait for the one that moves. */
async function begin(
  { client, ...context }: ScenarioContext,
  workload: Workload,
  { backlog = 0 }: MigrationStory,
): Promise<void> {
  const world = worldOf(context.signal);
  for (const queue of workload.queues) world.declare(queue);
  world.workloads.push(workload);
  await create(client, workload);
  await until({ client, ...context }, async () => {
    const pods = await podsOf(client, workload);
    return pods.length === workload.queues.length && pods.every((pod) => isReady(pod));
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
  const order = { ...key, sourcePod, queue, targetNode, ttlSecondsAfterFinished: story.ttlSecs };
  if (isEvicted) await evict(context.client, source, { key, ttlSecs: story.ttlSecs });
  else await client.create<KubeObject>(STATEFUL_MIGRATIONS, move(order));
  world.moves.push(key.name);
  world.isBegun = true;
  await Promise.all([publishing, end(context, story), outage(context, world, story), unhooked()]);
  await until(context, () => isOver(context, key));
}

async function create(client: ScenarioContext['client'], { object }: Workload): Promise<void> {
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
    ...(random.below(3) === 0 ? { outageMs: random.below(8000) } : {}),
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
  await ignoreNotFound(
    by === 'abort'
      ? client.patch(STATEFUL_MIGRATIONS, MOVE, patch)
      : client.delete(STATEFUL_MIGRATIONS, MOVE),
  );
}

function isAt(live: StatefulMigration | undefined, step: string): boolean {
  return live === undefined || OVER.has(live.status?.phase ?? '') || live.status?.step === step;
}

async function outage(
  context: ScenarioContext,
  { broker }: MigrationWorld,
  { outageMs = 0, outageAt }: MigrationStory,
): Promise<void> {
  const { clock, random } = context;
  if (outageMs === 0) return;
  if (outageAt === undefined) await sleep(clock, random.below(15_000));
  else await until(context, async () => isOutageDue(await migrationOf(context.client, MOVE), outageAt), 20);
  broker.isDown = true;
  await sleep(clock, outageMs);
  broker.isDown = false;
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

const OVER = new Set(['Completed', 'Failed', 'Rejected', 'Aborted']);

async function isOver({ client }: ScenarioContext, key: ObjectKey): Promise<boolean> {
  const live = await migrationOf(client, key);
  return live === undefined || OVER.has(live.status?.phase ?? '');
}

async function migrationOf(
  client: ScenarioContext['client'],
  key: ObjectKey,
): Promise<StatefulMigration | undefined> {
  return ignoreNotFound(client.get(STATEFUL_MIGRATIONS, key));
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

/** The consumer of each queue has applied what was published, each message once, and the migrations have left nothing. */
async function missing({ client, signal }: ScenarioContext): Promise<string | undefined> {
  const world = worldOf(signal);
  if (!world.isOver) return 'the end of the script';
  const keys = world.moves.map((name) => ({ namespace: NAMESPACE, name }));
  const lives = await Promise.all(keys.map((key) => migrationOf(client, key)));
  const problems = lives.map((live) => unfinished(live, world) ?? unloaded(live, world));
  return (
    problems.find((one) => one !== undefined) ??
    mirroredTwice(lives, world) ??
    (await leftOf(client, world)) ??
    lacking(world)
  );
}

/** Without a migration nothing is unfinished: somebody has deleted it. */
function unfinished(
  live: StatefulMigration | undefined,
  { mayEnd, expires }: MigrationWorld,
): string | undefined {
  if (live === undefined) return mayEnd || expires ? undefined : 'the migration is gone';
  if (expires) return 'the migration is still there';
  const { phase = 'new', message } = live.status ?? {};
  const isFine = phase === 'Completed' || (mayEnd && OVER.has(phase));
  return isFine ? undefined : `the migration is ${phase}: ${message}`;
}

/** A migration without messages would lose none. */
function unloaded(
  live: StatefulMigration | undefined,
  { isSilent, published }: MigrationWorld,
): string | undefined {
  if (isSilent || live?.status?.phase !== 'Completed') return undefined;
  return Object.keys(published[live.spec.messageQueueConfig.queueName] ?? {}).length > 0
    ? undefined
    : 'nobody published anything';
}

/** Each handover has one mirror, whoever began it. */
function mirroredTwice(
  lives: readonly (StatefulMigration | undefined)[],
  { mirrors }: MigrationWorld,
): string | undefined {
  const handovers = lives
    .map((live) => live?.status?.handover?.epoch ?? 0)
    .reduce((sum, one) => sum + one, 0);
  const isFine = lives.includes(undefined) || mirrors.size <= handovers;
  return isFine ? undefined : `${handovers} handovers had the mirrors ${[...mirrors].join(' ')}`;
}

function lacking({ consumers, originals, published }: MigrationWorld): string | undefined {
  for (const queue of Object.keys(published)) {
    const [state, ...others] = [...consumers.statesOf(queue), ...originals.statesOf(queue)];
    if (state === undefined || others.length > 0)
      return `${state === undefined ? 'nobody consumes' : `${others.length + 1} processes consume`} ${queue}`;
    const lack = state.lacks(published[queue] ?? {});
    if (lack !== undefined) return `${queue}: ${lack}`;
  }
  return undefined;
}

/** An operator whose brokers are those of the world that it runs in. */
function withBrokersOf(
  change?: (steps: MigrationSteps) => MigrationSteps,
): NonNullable<OperatorDay['operatorIn']> {
  return ({ parts, ...operator }, { signal }) => ({
    ...operator,
    parts: parts.map((part) => ({
      ...part,
      add(manager, env) {
        const { clock, random } = manager;
        const brokers = flakyBrokers(() => worldOf(signal).connect(), clock, random);
        const agents = flakyAgents(
          () => worldOf(signal).originals.agents,
          () => travelOver(clock, random),
        );
        const own = migrationPartsWith(
          () => brokers,
          change,
          () => agents,
        ).parts;
        own.find(({ account }) => account === part.account)?.add(manager, env);
      },
    })),
  });
}

const DRAWN: readonly WorkloadKind[] = ['StatefulSet', 'StatefulSet', 'Deployment', 'Pod'];

/** Applications of the original system are migrated in checkpoints, while faults of all kinds are injected. */
export function checkpointScenario(): Scenario {
  const day = migrationDay();
  const kinds: readonly WorkloadKind[] = ['OriginalSet', 'OriginalSet', 'OriginalDeployment', 'OriginalPod'];
  return operatorScenario({ ...day, script: (context) => script(context, kinds) });
}

/** A pod of a StatefulSet is migrated under load, while faults of all kinds are injected. */
export function migrationDay(
  story?: MigrationStory,
  change?: (steps: MigrationSteps) => MigrationSteps,
): OperatorDay {
  return {
    name: 'migration',
    operator: migrationParts,
    operatorIn: withBrokersOf(change),
    env: { ...PATIENT, ...(story?.pauseSecs !== undefined && { MS2M_PAUSE_SECS: String(story.pauseSecs) }) },
    components: [clusterAt(story?.pace)],
    observed: [
      ['migration.ms2m.io', 'statefulmigrations'],
      ['', 'pods'],
      ['apps', 'statefulsets'],
      ['apps', 'deployments'],
    ],
    prepare: async () => undefined,
    script: (context) => script(context, story ?? DRAWN),
    missing,
    calls: CALLS,
    faults: (random) => drawFaults(random, ['operator-1', 'operator-2'], CALLS),
    invariants: {
      'the set and its other pods are left alone': siblingsTouched,
      'Deployments are left alone': deploymentsTouched,
      'there is no way back': wentBack,
      'no pod of the set is an orphan': orphaned,
    },
  };
}

export function migrationScenario(
  story?: MigrationStory,
  change?: (steps: MigrationSteps) => MigrationSteps,
): Scenario {
  return operatorScenario(migrationDay(story, change));
}
