import type { ScenarioContext } from '@kubewright/cluster';
import type { StatefulMigration } from '@kubewright/operators';
import { LOSSES } from '../../support/migration-losses.ts';
import type { ConsumerState } from './consumer-state.ts';
import { leftOf } from './invariants.ts';
import { wasLostSince } from './lose-nodes.ts';
import { NAMESPACE } from './manifests.ts';
import { migrationOf, OVER } from './migration-of.ts';
import { type MigrationWorld, worldOf } from './world.ts';

/** The consumer of each queue has applied what was published, each message once, and the migrations have left nothing. */
export async function missing({ client, signal }: ScenarioContext): Promise<string | undefined> {
  const world = worldOf(signal);
  const keys = world.moves.map((name) => ({ namespace: NAMESPACE, name }));
  const lives = await Promise.all(keys.map((key) => migrationOf(client, key)));
  if (!world.isOver) return `the end of the script: ${lives.map((live) => placeOf(live)).join(', ')}`;
  const problems = lives.map((live) => unfinished(live, world) ?? unloaded(live, world));
  return (
    problems.find((one) => one !== undefined) ??
    mirroredTwice(lives, world) ??
    (await leftOf(client, world, lives)) ??
    lacking(lives, world)
  );
}

function placeOf(live: StatefulMigration | undefined): string {
  const { phase = 'new', step = '-', message = '' } = live?.status ?? {};
  return `${phase} ${step} ${message}`;
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

function lacking(
  lives: readonly (StatefulMigration | undefined)[],
  world: MigrationWorld,
): string | undefined {
  const { consumers, originals, published } = world;
  for (const queue of Object.keys(published)) {
    const [state, ...others] = [...consumers.statesOf(queue), ...originals.statesOf(queue)];
    if (others.length > 0) return `${others.length + 1} processes consume ${queue}`;
    const isLost = lives.some((live) => isStateLost(live, queue, world));
    const lack = isLost ? lackWithoutState(state, queue, world, lives) : state?.lacks(published[queue] ?? {});
    if (lack !== undefined) return `${queue}: ${lack}`;
    if (state === undefined && !(isLost && isOfNobody(queue, world))) return `nobody consumes ${queue}`;
  }
  return undefined;
}

/** The migration reports that the state went with its pod. Without such a report, it has to be there. */
function isStateLost(live: StatefulMigration | undefined, queue: string, world: MigrationWorld): boolean {
  if (live?.spec.messageQueueConfig.queueName !== queue || world.isCutOff) return false;
  if (wasLostSince(live, world)) return true;
  const { phase, outcome } = live.status ?? {};
  if (phase === 'Completed' || outcome === undefined) return false;
  return LOSSES.has(outcome.reason) || SOURCE_TOO.test(outcome.message);
}

const SOURCE_TOO = /, too, with the state that it had$/;

/** Nobody creates another pod. */
function isOfNobody(queue: string, { workloads }: MigrationWorld): boolean {
  return workloads.some(({ controller, queues }) => controller === undefined && queues.includes(queue));
}

/** What may not be missing although the state is lost. */
function lackWithoutState(
  state: ConsumerState | undefined,
  queue: string,
  world: MigrationWorld,
  lives: readonly (StatefulMigration | undefined)[],
): string | undefined {
  // An ordinary pod is started again in place, and consumes until it is replaced: the README says so.
  const isOrdinary = lives.some(
    (live) => live !== undefined && wasLostSince(live, world) && world.rebooted.has(live.spec.targetNode),
  );
  return isOrdinary ? state?.repeated() : lostMore(state, queue, world);
}

/** Messages that went neither with a node nor to the pod that came after, and are not in the queue any more. */
function lostMore(
  state: ConsumerState | undefined,
  queue: string,
  { consumers, originals, published, broker }: MigrationWorld,
): string | undefined {
  const twice = state?.repeated();
  if (twice !== undefined) return twice;
  const had = [...consumers.lostStatesOf(queue), ...originals.lostStatesOf(queue), ...(state ? [state] : [])];
  const waiting = broker.queues.get(queue)?.ready ?? 0;
  const gone = Object.entries(published[queue] ?? {}).flatMap(([producer, last]) =>
    Array.from({ length: last }, (_, index) => index + 1)
      .filter((seq) => !had.some((one) => one.has(producer, seq)))
      .map((seq) => `${producer} ${seq}`),
  );
  if (gone.length > waiting) return `lost beside the state: ${gone.slice(0, 5).join(', ')}`;
  return state !== undefined && waiting > 0
    ? `${waiting} messages wait for a process that is there`
    : undefined;
}
