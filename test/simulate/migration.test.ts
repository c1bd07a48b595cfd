import { type RunResult, runWorld } from '@kubewright/cluster';
import type { StatefulMigration } from '@kubewright/operators';
import { describe, expect, test } from 'vitest';
import { isLong, seeds, some } from '../support/seeds.ts';
import { recordOf } from './migration/crash-at.ts';
import { migrationScenario } from './migration/migration.ts';
import type { MigrationStory } from './migration/script.ts';
import { statusOf } from './migration/status-of.ts';

/** `npm run simulate -- migration --seeds N` plays more of them. */
const SEEDS = seeds(1, 10);
const ROUND_TRIPS = isLong ? 10 : 3;

test(`the migration operator masters ${SEEDS.length} worlds`, async () => {
  const scenario = migrationScenario();
  for (const seed of SEEDS) {
    const result = await runWorld({ seed, scenario });
    expect(result, `npm run simulate -- migration --seed ${seed} --trace`).not.toHaveProperty('failure');
  }
});

/** Runs a story in a world without other faults. */
async function played(story: MigrationStory): Promise<RunResult> {
  const scenario = { ...migrationScenario(story), stableFor: 60_000 };
  const result = await runWorld({ seed: 1, scenario, faults: [] });
  expect(result).not.toHaveProperty('failure');
  return result;
}

/** What became of the migration. */
async function play(story: MigrationStory): Promise<string> {
  return String(statusOf(await played(story)).phase);
}

/** A write of an operator, in the trace of a world. */
const WRITE = /operator-\d #\d+ (?:POST|PUT|PATCH|DELETE) (\S+)/;
/** Its own status, what it says of it, and who leads. */
const OWN = /\/statefulmigrations\/move\/status|\/events(\/|\?|$)|\/leases(\/|\?)/;

describe('under load', () => {
  test('MIG-3 ordinal 1 of three parallel ones moves; the others, and the set, are left alone', async () => {
    expect(await play({ workloads: ['Parallel'] })).toBe('Completed');
  });

  test('MIG-4 a set whose ordinals start at 5: pod 5 moves, and keeps its place', async () => {
    expect(await play({ workloads: ['FromFive'] })).toBe('Completed');
  });

  test(`MIG-12 there and back, ${ROUND_TRIPS} times: each message was applied once`, async () => {
    const workload = isLong ? 'StatefulSet' : 'Pod';
    expect(await play({ workloads: [workload], roundTrips: ROUND_TRIPS })).toBe('Completed');
  });

  test('MIG-17 mirrors with 500 messages that earlier migrations have left are never read', async () => {
    expect(await play({ stale: 500 })).toBe('Completed');
  });

  test('MIG-22 a mirror that is full before the shadow is there: all is undone, and the source has all messages', async () => {
    expect(await play({ mirrorLength: 10, processes: { bootMs: 6000 } })).toBe('Failed');
  });

  test('MIG-27 an application that forgets a message: its digests differ at the cut, all is undone, and the source has all messages', async () => {
    const { phase, outcome } = statusOf(await played({ processes: { forgets: true } }));
    expect([phase, outcome?.reason]).toEqual(['Failed', 'DigestMismatch']);
    const digests = outcome?.message.match(/[0-9a-f]{64}/g) ?? [];
    expect(digests).toHaveLength(2);
    expect(digests[0]).not.toBe(digests[1]);
  });

  test('MIG-20 the pod of a quorum queue moves: nobody declares the queue anew, which would fail', async () => {
    expect(await play({ queueType: 'quorum' })).toBe('Completed');
  });

  test('MIG-58 while the webhook is away pods are made without the state: the shadow keeps it, and the queue', async () => {
    expect(await play({ unhooked: true })).toBe('Completed');
  });

  test('MIG-6 the pod of a Deployment moves: its ReplicaSet adopts the shadow and deletes the source', async () => {
    expect(await play({ workloads: ['Deployment'] })).toBe('Completed');
  });

  test('MIG-7 a pod that nobody controls moves', async () => {
    expect(await play({ workloads: ['Pod'] })).toBe('Completed');
  });

  test('MIG-1 MIG-2 ordinal 0 of two moves; the other one, and the set, are left alone', async () => {
    expect(await play({})).toBe('Completed');
  });

  test('MIG-1 the only pod of a set moves', async () => {
    expect(await play({ workloads: ['Single'] })).toBe('Completed');
  });

  test('MIG-8 more comes than a pod can apply: it is cut when the target gets no closer, and the pause is the time to catch up', async () => {
    const perSecond = 5;
    const result = await played({ workloads: ['Pod'], processes: { applyMs: 1000 / perSecond } });
    expect(statusOf(result).phase).toBe('Completed');
    const cut = recordOf(result, 'Quiesce');
    const { behind = 0 } = (cut.object as StatefulMigration).status?.messages ?? {};
    const pause = (recordOf(result, 'DeleteQueues').at - cut.at) / 1000;
    expect(pause).toBeLessThan(behind / perSecond + 2);
  });

  test('MIG-71 a dry run is planned, and the operator writes nothing but the status of the migration', async () => {
    const result = await played({ dryRun: true });
    expect(statusOf(result)).toMatchObject({ phase: 'Completed', plan: { backend: 'Snapshot' } });
    const writes = result.trace.flatMap((line) => WRITE.exec(line)?.[1] ?? []);
    expect(writes.some((path) => path.includes('/statefulmigrations/move/status'))).toBe(true);
    expect(writes.filter((path) => !OWN.test(path))).toEqual([]);
  });

  test('MIG-9 a backlog is in the survivor, each message once', async () => {
    expect(await play({ backlog: isLong ? 10_000 : 1000 })).toBe('Completed');
  });

  test('MIG-10 without traffic the barrier alone completes the cut', async () => {
    expect(await play({ silent: true })).toBe('Completed');
  });
});

describe('ended by somebody', () => {
  test.each(some(2, ['Barrier', 'Quiesce', 'Lock', 'Snapshot', 'Restore']))(
    'MIG-38 spec.abort at %s undoes everything',
    async (at) => {
      expect(await play({ end: { by: 'abort', at } })).toBe('Aborted');
    },
  );

  test.each(some(1, ['TakeOver', 'ReplaceSource']))('MIG-38 spec.abort at %s is refused', async (at) => {
    expect(await play({ end: { by: 'abort', at } })).toBe('Completed');
  });

  test('MIG-35 deleted while the shadow is restored: everything is undone, and it goes', async () => {
    expect(await play({ end: { by: 'deletion', at: 'Restore' } })).toBe('Aborted');
  });

  test.each(some(1, ['TakeOver', 'ReplaceSource']))(
    'MIG-36 deleted in the foreground at %s: the shadow, which has the state, is not deleted with it',
    async (at) => {
      expect(await play({ end: { by: 'foreground', at } })).toBe('Completed');
    },
  );

  test('MIG-36 deleted after the handover: it is finished, and goes', async () => {
    expect(await play({ end: { by: 'deletion', at: 'ReplaceSource' } })).toBe('Completed');
  });
});
