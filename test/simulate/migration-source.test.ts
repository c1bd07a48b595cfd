import { type RunResult, runWorld } from '@kubewright/cluster';
import { describe, expect, test } from 'vitest';
import { readSettings } from '../../packages/operators/src/migration/settings.ts';
import { isLong, some } from '../support/seeds.ts';
import { crashAtRecord } from './migration/crash-at.ts';
import { ofEarlier } from './migration/earlier-messages.ts';
import type { LossOfPod } from './migration/lose-pod.ts';
import { migrationScenario } from './migration/migration.ts';
import type { MigrationStory } from './migration/script.ts';
import { statusOf } from './migration/status-of.ts';

// The pod that is migrated goes before it has handed its state over, and after its state was taken. In each of these worlds
// the pod that takes over has applied each message that was published once, and in order, whoever has taken it from the
// queue meanwhile, and nothing is left: the scenario sees to it.

type Kind = NonNullable<MigrationStory['workloads']>[number];

/** Processes take a while to start and to apply a message, so that there is time to lose one in each step. */
const PACE = { bootMs: 1000, applyMs: 20 };

type World = {
  /** Default: a world without other faults. */
  readonly seed?: number;
  /** Default: 0, the source goes on while the target restores its state. */
  readonly copyBytes?: number;
};

async function play(kind: Kind, podLost: LossOfPod, world: World = {}): Promise<RunResult> {
  const { seed, copyBytes = 0 } = world;
  const processes = { ...PACE, unknown: ofEarlier(podLost.step) };
  const story = { workloads: [kind], podLost, processes, backlog: 100, copyBytes };
  const scenario = { ...migrationScenario(story), stableFor: 30_000 };
  const result = await runWorld({ scenario, ...(seed === undefined ? { seed: 1, faults: [] } : { seed }) });
  expect({ ...podLost, ...world, failure: result.failure }).toMatchObject({ failure: undefined });
  return result;
}

/** Of worlds from a seed on: one, and in the long run many. */
function seeds(first: number, many: number): readonly number[] {
  return Array.from({ length: isLong ? many : 1 }, (_, index) => first + index);
}

function expectPromoted(result: RunResult): void {
  const { phase, conditions = [], sourceLost, message } = statusOf(result);
  expect({ phase, sourceLost }).toEqual({ phase: 'Completed', sourceLost: true });
  expect(conditions).toContainEqual(
    expect.objectContaining({ type: 'Completed', status: 'True', reason: 'SourceLost' }),
  );
  expect(message).toContain('although the source was lost before the handover');
}

describe('MIG-42 a source that is lost after its state was taken: the target takes over, with all messages', () => {
  const LOSSES: readonly (readonly [Kind, LossOfPod['by'], string])[] = [
    ['StatefulSet', 'deletion', 'Resume'],
    ['StatefulSet', 'force', 'Resume'],
    ['StatefulSet', 'deletion', 'Restore'],
    ['StatefulSet', 'deletion', 'CatchUp'],
    ['StatefulSet', 'force', 'Quiesce'],
    ['StatefulSet', 'deletion', 'ApplyRest'],
    ['StatefulSet', 'force', 'Restore'],
    ['Pod', 'deletion', 'Restore'],
    ['Pod', 'force', 'CatchUp'],
    ['OriginalSet', 'deletion', 'CreateShadow'],
    ['OriginalSet', 'deletion', 'Attach'],
  ];
  test.each(some(1, LOSSES))('of kind %s, by %s at %s', async (kind, by, step) => {
    expectPromoted(await play(kind, { by, step }));
  });

  const WORLDS: readonly (readonly [Kind, LossOfPod['by'], string, readonly number[]])[] = [
    // Here a command was not read.
    ['OriginalSet', 'deletion', 'CreateShadow', seeds(44, 10)],
    ['StatefulSet', 'force', 'CatchUp', seeds(3, 10)],
    ['StatefulSet', 'deletion', 'Resume', seeds(6, 10)],
    ['Pod', 'restart', 'Quiesce', seeds(28, 10)],
  ];
  /** One world of one of them in `npm test`, whatever else happens in it. */
  test.each(some(1, WORLDS))(
    'of kind %s, by %s at %s, while faults of all kinds are injected',
    async (kind, by, step, worlds) => {
      // What is injected may make the loss come after the handover.
      for (const world of worlds)
        expect(statusOf(await play(kind, { by, step }, { seed: world })).phase).toBe('Completed');
    },
  );
});

describe('MIG-42 MIG-84 a source that is lost while it stands still, with a small state: the target takes over, with all messages', () => {
  const { copyBytes } = readSettings({});
  const LOSSES: readonly (readonly [Kind, LossOfPod['by']])[] = [
    ['StatefulSet', 'deletion'],
    ['StatefulSet', 'force'],
    ['Pod', 'deletion'],
  ];
  test.each(some(1, LOSSES))('of kind %s, by %s', async (kind, by) => {
    expectPromoted(await play(kind, { by, step: 'Restore' }, { copyBytes }));
  });

  // Here the target may have the state before the loss is known: it needs nothing else.
  const WORLDS: readonly (readonly [Kind, LossOfPod['by'], readonly World[]])[] = [
    ['StatefulSet', 'restart', [{}]],
    ['Pod', 'restart', [{}]],
    ['StatefulSet', 'deletion', seeds(11, 10).map((seed) => ({ seed }))],
    ['Pod', 'force', seeds(21, 10).map((seed) => ({ seed }))],
  ];
  test.each(some(1, WORLDS))('of kind %s, by %s, in the midst of its move', async (kind, by, worlds) => {
    for (const world of worlds)
      expect(statusOf(await play(kind, { by, step: 'Restore' }, { copyBytes, ...world })).phase).toBe(
        'Completed',
      );
  });
});

describe('MIG-85 a source that is lost when it has written its state, before that is on record: the target takes over, with all messages', () => {
  const { copyBytes } = readSettings({});
  const LOSSES: readonly (readonly [Kind, 'deletion' | 'force', number])[] = [
    ['StatefulSet', 'force', copyBytes],
    ['StatefulSet', 'deletion', 0],
    ['Pod', 'force', 0],
    ['Pod', 'deletion', copyBytes],
  ];
  test.each(some(1, LOSSES))(
    'of kind %s, by %s, with %i bytes as the largest small state',
    async (...loss) => {
      const [kind, by, bytes] = loss;
      const processes = { ...PACE, unknown: ofEarlier('Restore') };
      const story = { workloads: [kind], processes, backlog: 100, copyBytes: bytes };
      const calm = await runWorld({ scenario: migrationScenario(story), seed: 1, faults: [] });
      // Nobody leads the migration as it happens.
      const crash = crashAtRecord(calm, 'before', bytes === 0 ? 'Resume' : 'Restore');
      const podLost = { by, step: 'Barrier', isWritten: true };
      const scenario = { ...migrationScenario({ ...story, podLost }), stableFor: 30_000 };
      const result = await runWorld({ scenario, seed: 1, faults: [crash] });
      expect(result.failure).toBeUndefined();
      expectPromoted(result);
    },
  );
});

describe('MIG-43 a source whose process is started again after its state was taken: the target takes over, with all messages', () => {
  const RESTARTS: readonly (readonly [Kind, string])[] = [
    ['StatefulSet', 'Restore'],
    ['StatefulSet', 'CatchUp'],
    ['Pod', 'CatchUp'],
  ];
  test.each(some(1, RESTARTS))('of kind %s, at %s', async (kind, step) => {
    expectPromoted(await play(kind, { by: 'restart', step }));
  });
});

describe('a pod that is to take over from the shadow, and is lost', () => {
  test.each(some(1, ['Restore', 'CatchUp', 'Quiesce', 'ApplyRest']))(
    'at %s: the shadow keeps the state, and hands it over to the next one',
    async (step) => {
      const result = await play('StatefulSet', { which: 'target', by: 'force', step, epoch: 2 });
      expect(statusOf(result)).toMatchObject({ phase: 'Completed' });
    },
  );
});
