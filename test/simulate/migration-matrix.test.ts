import { type RunResult, runWorld, type WorldFault } from '@kubewright/cluster';
import { describe, expect, test } from 'vitest';
import { isLong, seed, some } from '../support/seeds.ts';
import { crashAtRecord } from './migration/crash-at.ts';
import { migrationScenario } from './migration/migration.ts';
import type { MigrationStory } from './migration/script.ts';
import { recordedSteps, statusOf } from './migration/status-of.ts';

// Every persisted step of a migration, and what may happen at it: the operator crashes before the step is on record, and after;
// the broker goes away. In each of these worlds the migration completes, and the scenario sees to it that each message was
// applied once, in order, and that nothing is left.

const KINDS = [
  'StatefulSet',
  'Deployment',
  'Pod',
  'Sequential',
  'SequentialPod',
  'SequentialDeployment',
  'OriginalSet',
  'OriginalDeployment',
  'OriginalPod',
  'OriginalSequential',
] as const;
/** Their target catches up with a source that goes on, or gets all that a source has which stands still. */
const CASES = [
  ...KINDS.map((kind) => [kind, 0] as const),
  ...(['StatefulSet', 'Deployment', 'Pod'] as const).map((kind) => [kind, 1_000_000] as const),
];
/** Of each kind; other ones for other seeds. */
const CELLS = isLong ? 2 : 1;
const OUTAGE_MS = 5000;

type Kind = (typeof KINDS)[number];

async function play(
  kind: Kind,
  faults: readonly WorldFault[],
  story: MigrationStory = {},
): Promise<RunResult> {
  const scenario = { ...migrationScenario({ workloads: [kind], ...story }), stableFor: 30_000 };
  return runWorld({ seed: 1, scenario, faults });
}

const calms = new Map<string, Promise<RunResult>>();

/** The world of this kind in which nothing goes wrong, played once. */
function playCalm(kind: Kind, copyBytes = 0): Promise<RunResult> {
  const key = `${kind} ${copyBytes}`;
  const calm = calms.get(key) ?? play(kind, [], { copyBytes });
  calms.set(key, calm);
  return calm;
}

/** Of all cells those of this run: other ones for other seeds. */
function chosen<T>(all: readonly T[]): readonly T[] {
  return Array.from({ length: CELLS }, (_, index) => all[(seed * 7 + index * 11) % all.length] as T);
}

describe.each(some(1, CASES))(
  'a migration of a pod of kind %s, whose source stands still for %i bytes',
  (kind, copyBytes) => {
    test('MIG-29 MIG-31 MIG-32 MIG-33 MIG-39 completes although the operator crashes as it records a step, before and after', async () => {
      const calm = await playCalm(kind, copyBytes);
      expect(calm.failure).toBeUndefined();
      const cells = recordedSteps(calm).flatMap(({ step, epoch }) =>
        (['before', 'after'] as const).map((when) => ({ step, epoch, when })),
      );
      for (const cell of chosen(cells)) {
        const { step, epoch, when } = cell;
        const result = await play(kind, [crashAtRecord(calm, when, step, epoch)], { copyBytes });
        const crashes = result.trace.filter((line) => line.includes(' crash ')).length;
        const { failure } = result;
        expect({ ...cell, failure, crashes, phase: statusOf(result).phase }).toEqual({
          ...cell,
          failure: undefined,
          crashes: 1,
          phase: 'Completed',
        });
      }
    });

    test('MIG-13 MIG-14 MIG-15 completes although the broker goes away as a step begins', async () => {
      const calm = await playCalm(kind, copyBytes);
      for (const { step, epoch } of chosen(recordedSteps(calm))) {
        const outageAt = { step, epoch };
        const result = await play(kind, [], { outageAt, outageMs: OUTAGE_MS, copyBytes });
        const { failure } = result;
        expect({ ...outageAt, failure, phase: statusOf(result).phase }).toEqual({
          ...outageAt,
          failure: undefined,
          phase: 'Completed',
        });
      }
    });
  },
);

/** Only in the long run. */
test.each(some(0, ['before', 'after'] as const))(
  'MIG-30 a checkpoint that was made, while the operator crashed %s that was on record, is used, and there is no other',
  async (when) => {
    const calm = await playCalm('OriginalSet');
    const { checkpoint } = statusOf(calm).handover ?? {};
    const result = await play('OriginalSet', [crashAtRecord(calm, when, 'CreateShadow')]);
    expect(result.failure).toBeUndefined();
    const { handover, phase } = statusOf(result);
    expect([phase, handover?.epoch, handover?.checkpoint?.sha256]).toEqual([
      'Completed',
      2,
      checkpoint?.sha256,
    ]);
  },
);

test('MIG-5 the pod of a StatefulSet that was there when the migration completed is there a minute later, on the target node', async () => {
  const scenario = { ...migrationScenario({ workloads: ['StatefulSet'] }), stableFor: 60_000 };
  const result = await runWorld({ seed: 1, scenario, faults: [] });
  expect(result.failure).toBeUndefined();
  const { handover, phase } = statusOf(result);
  const pods = result.history.of('pods', 'consumer-0').map(({ object }) => object);
  expect(phase).toBe('Completed');
  expect(pods.at(-1)?.metadata).toMatchObject({ uid: handover?.to.uid });
  expect(pods.at(-1)?.metadata).not.toHaveProperty('deletionTimestamp');
});
