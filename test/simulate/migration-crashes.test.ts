import { type RunResult, runWorld, type WorldFault } from '@kubewright/cluster';
import { beforeAll, describe, expect, test } from 'vitest';
import { some } from '../support/seeds.ts';
import { crashAtCall, crashAtRecord } from './migration/crash-at.ts';
import { migrationScenario } from './migration/migration.ts';
import type { MigrationStory } from './migration/script.ts';
import { journalOf, statusOf } from './migration/status-of.ts';

// The operator crashes at one moment, and another one goes on. In each of these worlds the pod's consumer runs in the end and has
// applied each message that was published once, each handover had one mirror, and none is left: the scenario sees to it.

/** The whole product's default is kept here: nobody may consume for longer. */
const PAUSE_SECS = 60;

async function play(faults: readonly WorldFault[], story: MigrationStory = {}): Promise<RunResult> {
  const scenario = { ...migrationScenario({ pauseSecs: PAUSE_SECS, ...story }), stableFor: 60_000 };
  const result = await runWorld({ seed: 1, scenario, faults });
  expect(result).not.toHaveProperty('failure');
  expect(result.trace.filter((line) => line.includes(' crash '))).toHaveLength(faults.length);
  return result;
}

/** For how long nobody consumed: from the command to the source until the target runs. */
function pauseOf(result: RunResult): number {
  const times = new Map(
    (statusOf(result).steps ?? []).map((entry) => [`${entry.epoch} ${entry.step}`, entry]),
  );
  const [stopped, ran] = [times.get('1 Quiesce')?.startTime, times.get('1 TakeOver')?.completionTime];
  return (Date.parse(ran ?? '') - Date.parse(stopped ?? '')) / 1000;
}

/** How many pods there were under a name, one after the other. */
function podsNamed({ history }: RunResult, name: string): number {
  return new Set(history.of('pods', name).map(({ object }) => object.metadata.uid)).size;
}

describe('an operator that crashes', () => {
  let calm: RunResult;
  beforeAll(async () => {
    calm = await play([]);
  });
  /** It completes with the same steps, none of them undone and no handover tried twice. */
  const expectResumed = (result: RunResult): void => {
    expect(statusOf(result).phase).toBe('Completed');
    expect(journalOf(result)).toEqual(journalOf(calm));
  };

  const AT_RECORDS = [
    ['MIG-31 while the target catches up: it goes on', 'after', 'CatchUp'],
    [
      'MIG-29 when the mirror is bound and that is not on record: there is no second mirror, and none is left',
      'before',
      'Barrier',
    ],
    ['MIG-31 when the target has caught up and that is not on record: it goes on', 'before', 'Quiesce'],
    ['MIG-33 as the handover is recorded: it is rolled forward', 'after', 'TakeOver'],
  ] as const;
  test.each(some(1, AT_RECORDS))('%s', async (_title, when, step) => {
    expectResumed(await play([crashAtRecord(calm, when, step)]));
  });

  const AT_DELETIONS = [
    [
      'MIG-34 when it has deleted the source, before there is another pod: the state comes from the shadow',
      'after',
    ],
    ['MIG-33 before it deletes the source, which has handed over: it is rolled forward', 'before'],
  ] as const;
  test.each(some(1, AT_DELETIONS))('%s', async (_title, when) => {
    const deletion = /(operator-\d) #(\d+) DELETE \S+\/pods\/consumer-0[ ?]/;
    const result = await play([crashAtCall(calm, when, deletion)]);
    expectResumed(result);
    expect(podsNamed(result, 'consumer-0')).toBe(2);
  });

  test.each(some(1, ['ApplyRest', 'TakeOver']))(
    'MIG-32 when the source stands, as it records %s: the cut is resumed, within the time for which nobody may consume',
    async (step) => {
      const result = await play([crashAtRecord(calm, 'before', step)]);
      expectResumed(result);
      expect(pauseOf(result)).toBeLessThan(PAUSE_SECS);
    },
  );

  test('MIG-32 when the source stands, for longer than nobody may consume: all is undone, and the source runs', async () => {
    const result = await play([crashAtRecord(calm, 'before', 'TakeOver')], { pauseSecs: 5 });
    const { phase, outcome, handedOver } = statusOf(result);
    expect({ phase, reason: outcome?.reason, handedOver }).toEqual({
      phase: 'Failed',
      reason: 'DeadlineExceeded',
      handedOver: false,
    });
    expect(podsNamed(result, 'consumer-0')).toBe(1);
  });
});
