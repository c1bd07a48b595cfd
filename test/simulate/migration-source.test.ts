import { type RunResult, runWorld } from '@kubewright/cluster';
import type { StatefulMigration } from '@kubewright/operators';
import { describe, expect, test } from 'vitest';
import type { LossOfSource } from './migration/lose-source.ts';
import { migrationScenario } from './migration/migration.ts';
import type { MigrationStory } from './migration/script.ts';

// The pod that is migrated goes before it has handed its state over, and after its state was taken. In each of these worlds
// the pod that takes over has applied each message that was published once, and in order, whoever has taken it from the
// queue meanwhile, and nothing is left: the scenario sees to it.

type Kind = NonNullable<MigrationStory['workloads']>[number];
type Status = NonNullable<StatefulMigration['status']>;

/** Processes take a while to start and to apply a message, so that there is time to lose one in each step. */
const PACE = { bootMs: 1000, applyMs: 8 };

async function play(kind: Kind, sourceLost: LossOfSource): Promise<RunResult> {
  const story = { workloads: [kind], sourceLost, pace: PACE, backlog: 100 };
  const result = await runWorld({
    seed: 1,
    scenario: { ...migrationScenario(story), stableFor: 30_000 },
    faults: [],
  });
  expect(result.failure).toBeUndefined();
  return result;
}

function endOf({ history }: RunResult): Status {
  const last = history.of('statefulmigrations', 'move').at(-1)?.object as StatefulMigration | undefined;
  return last?.status ?? { handedOver: false };
}

function stepsOf(result: RunResult): readonly string[] {
  return (endOf(result).steps ?? []).filter(({ epoch }) => epoch === 1).map(({ step }) => step);
}

function expectPromoted(result: RunResult): void {
  const { phase, conditions = [], sourceLost, message } = endOf(result);
  expect({ phase, sourceLost }).toEqual({ phase: 'Completed', sourceLost: true });
  expect(conditions).toContainEqual(
    expect.objectContaining({ type: 'Completed', status: 'True', reason: 'SourceLost' }),
  );
  expect(message).toContain('although the source was lost before the handover');
}

describe('MIG-42 a source that is lost after its state was taken: the target takes over, with all messages', () => {
  test.each<readonly [Kind, LossOfSource['by'], string]>([
    ['StatefulSet', 'deletion', 'Resume'],
    ['StatefulSet', 'force', 'Resume'],
    ['StatefulSet', 'deletion', 'CreateShadow'],
    ['StatefulSet', 'force', 'CreateShadow'],
    ['StatefulSet', 'deletion', 'Restore'],
    ['StatefulSet', 'deletion', 'CatchUp'],
    ['StatefulSet', 'force', 'Quiesce'],
    ['StatefulSet', 'deletion', 'ApplyRest'],
    ['Pod', 'deletion', 'CreateShadow'],
    ['Pod', 'force', 'CatchUp'],
    ['OriginalSet', 'deletion', 'CreateShadow'],
    ['OriginalSet', 'deletion', 'Attach'],
  ])('of kind %s, by %s at %s', async (kind, by, step) => {
    const result = await play(kind, { by, step });
    expectPromoted(result);
    console.log(kind, by, step, stepsOf(result).join(' '));
  });
});

describe('MIG-43 a source whose process is started again after its state was taken: the target takes over, with all messages', () => {
  test.each<readonly [Kind, string]>([
    ['StatefulSet', 'Restore'],
    ['StatefulSet', 'CatchUp'],
    ['Pod', 'CatchUp'],
  ])('of kind %s, at %s', async (kind, step) => {
    expectPromoted(await play(kind, { by: 'restart', step }));
  });
});
