import { type RunResult, runWorld } from '@kubewright/cluster';
import type { StatefulMigration } from '@kubewright/operators';
import { describe, expect, test } from 'vitest';
import { isLong, seeds, some } from '../support/seeds.ts';
import { crashAtRecord, recordOf } from './migration/crash-at.ts';
import { ofEarlier } from './migration/earlier-messages.ts';
import { migrationScenario } from './migration/migration.ts';
import type { MigrationStory } from './migration/script.ts';
import { statusOf } from './migration/status-of.ts';

/** `npm run simulate -- migration --seeds N` plays more of them. */
const SEEDS = seeds(1, 5);
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

/** Each message is applied once, and in order, whatever the title says besides: the scenario sees to it. */
const UNDER_LOAD: readonly (readonly [title: string, story: MigrationStory, end: string])[] = [
  ['MIG-1 MIG-2 ordinal 0 of two moves; the other one, and the set, are left alone', {}, 'Completed'],
  [
    'MIG-6 the pod of a Deployment moves: its ReplicaSet adopts the shadow and deletes the source',
    { workloads: ['Deployment'] },
    'Completed',
  ],
  [
    `MIG-12 there and back, ${ROUND_TRIPS} times: each message was applied once`,
    { workloads: [isLong ? 'StatefulSet' : 'Pod'], roundTrips: ROUND_TRIPS },
    'Completed',
  ],
  [
    'MIG-22 a mirror that is full before the source has come to the barrier: all is undone, and the source has all messages',
    { mirrorLength: 10, backlog: 100, processes: { applyMs: 50 } },
    'Failed',
  ],
  ['MIG-1 the only pod of a set moves', { workloads: ['Single'] }, 'Completed'],
  [
    'MIG-3 ordinal 1 of three parallel ones moves; the others, and the set, are left alone',
    { workloads: ['Parallel'] },
    'Completed',
  ],
  [
    'MIG-4 a set whose ordinals start at 5: pod 5 moves, and keeps its place',
    { workloads: ['FromFive'] },
    'Completed',
  ],
  ['MIG-7 a pod that nobody controls moves', { workloads: ['Pod'] }, 'Completed'],
  ['MIG-9 a backlog is in the survivor, each message once', { backlog: isLong ? 10_000 : 1000 }, 'Completed'],
  ['MIG-10 without traffic the barrier alone completes the cut', { silent: true }, 'Completed'],
  [
    'MIG-17 mirrors with 500 messages that earlier migrations have left are never read',
    { stale: 500 },
    'Completed',
  ],
  [
    'MIG-20 the pod of a quorum queue moves: nobody declares the queue anew, which would fail',
    { queues: { 'x-queue-type': 'quorum' } },
    'Completed',
  ],
  [
    'MIG-20 where quorum is the default type of the broker, a pod moves, and moves back',
    { defaultType: 'quorum', roundTrips: 1 },
    'Completed',
  ],
  [
    'MIG-58 while the webhook is away pods are made without the state: the shadow keeps it, and the queue',
    { unhooked: true },
    'Completed',
  ],
];

describe('under load', () => {
  test.each(some(2, UNDER_LOAD))('%s', async (_title, story, end) => {
    expect(await play(story)).toBe(end);
  });

  test('MIG-27 an application that forgets a message: its digests differ at the cut, all is undone, and the source has all messages', async () => {
    const { phase, outcome } = statusOf(await played({ processes: { forgets: true } }));
    expect([phase, outcome?.reason]).toEqual(['Failed', 'DigestMismatch']);
    const digests = outcome?.message.match(/[0-9a-f]{64}/g) ?? [];
    expect(digests).toHaveLength(2);
    expect(digests[0]).not.toBe(digests[1]);
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
});

const ENDS: readonly (readonly [
  title: string,
  by: 'abort' | 'deletion' | 'foreground',
  at: string,
  end: string,
])[] = [
  ['MIG-38 spec.abort undoes everything', 'abort', 'Barrier', 'Aborted'],
  ['MIG-38 spec.abort is refused', 'abort', 'TakeOver', 'Completed'],
  [
    'MIG-36 deleted in the foreground, the shadow, which has the state, is not deleted with it',
    'foreground',
    'TakeOver',
    'Completed',
  ],
  ['MIG-35 deleted before the handover, everything is undone, and it goes', 'deletion', 'Restore', 'Aborted'],
  ['MIG-36 deleted after the handover, it is finished, and goes', 'deletion', 'ReplaceSource', 'Completed'],
  ['MIG-38 spec.abort undoes everything', 'abort', 'Quiesce', 'Aborted'],
  ['MIG-38 spec.abort undoes everything', 'abort', 'Lock', 'Aborted'],
  ['MIG-38 spec.abort undoes everything', 'abort', 'Snapshot', 'Aborted'],
  ['MIG-38 spec.abort undoes everything', 'abort', 'Restore', 'Aborted'],
  ['MIG-38 spec.abort is refused', 'abort', 'ReplaceSource', 'Completed'],
  [
    'MIG-36 deleted in the foreground, the shadow, which has the state, is not deleted with it',
    'foreground',
    'ReplaceSource',
    'Completed',
  ],
];

describe('ended by somebody', () => {
  test.each(some(1, ENDS))('%s (%s at %s)', async (_title, by, at, end) => {
    // Who writes its state at the barrier is never seen at Snapshot: with its report that step is over.
    const processes = { unknown: ofEarlier(at) };
    expect(await play({ processes, end: { by, at } })).toBe(end);
  });

  test('MIG-38 spec.abort undoes everything while the source stands still, and its state is restored', async () => {
    const processes = { unknown: ofEarlier('Restore') };
    const story: MigrationStory = { processes, copyBytes: 1_000_000, end: { by: 'abort', at: 'Restore' } };
    expect(await play(story)).toBe('Aborted');
  });
});

test('MIG-36 of a Deployment, deleted in the foreground while nobody leads, before its ReplicaSet has adopted the shadow: the shadow, which has the state, is not deleted with it', async () => {
  const calm = await played({ workloads: ['Deployment'] });
  const story = { workloads: ['Deployment'], end: { by: 'foreground', at: 'AdoptShadow' } } as const;
  const scenario = { ...migrationScenario(story), stableFor: 60_000 };
  // The operator would release the shadow before the garbage collector has seen the deletion.
  const result = await runWorld({ seed: 1, scenario, faults: [crashAtRecord(calm, 'after', 'AdoptShadow')] });
  expect(result).not.toHaveProperty('failure');
  expect(statusOf(result)).toMatchObject({ phase: 'Completed' });
  const shadow = result.history.of('pods', statusOf(calm).handover?.to.pod ?? '').at(-1)?.object;
  expect(shadow?.metadata).not.toHaveProperty('deletionTimestamp');
});

test.each(some(2, ['AdoptShadow', 'TakeOver', 'RemoveSource', 'Verify'] as const))(
  'MIG-36 of a Deployment, deleted in the foreground at %s, the shadow, which has the state, is not deleted with it',
  async (at) => {
    expect(await play({ workloads: ['Deployment'], end: { by: 'foreground', at } })).toBe('Completed');
  },
);
