import type { ScenarioContext } from '@kubewright/cluster';
import type { StatefulMigration } from '@kubewright/operators';
import { leftOf } from './invariants.ts';
import { NAMESPACE } from './manifests.ts';
import { migrationOf, OVER } from './migration-of.ts';
import { type MigrationWorld, worldOf } from './world.ts';

/** The consumer of each queue has applied what was published, each message once, and the migrations have left nothing. */
export async function missing({ client, signal }: ScenarioContext): Promise<string | undefined> {
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
