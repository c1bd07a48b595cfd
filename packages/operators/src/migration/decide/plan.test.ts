import { describe, expect, test } from 'vitest';
import type { MigrationStatus, StatefulMigration } from '../api.ts';
import {
  ALL_WELL,
  brokerWith,
  decidedAt,
  migrationOf,
  nodeOf,
  podOf,
  reportFrom,
  SOURCE,
  timeAt,
} from '../testing/migration-bench.ts';
import type { ObservedMigration } from './observed-migration.ts';

type Spec = Partial<StatefulMigration['spec']>;

const dry = (status?: MigrationStatus, number = 1, applied = 0): ObservedMigration => ({
  ...ALL_WELL,
  migration: migrationOf({ dryRun: true }, status),
  broker: {
    ...brokerWith(reportFrom(SOURCE, { number, applied })),
    primary: { ready: 80, consumers: 1 },
  },
});

describe('a dry run', () => {
  test('MIG-71 measures the rate from a report that it has requested, and predicts pause and duration', () => {
    const first = decidedAt(0, dry(undefined, 1, 7)).decision;
    const old = decidedAt(1, dry(first.status, 1, 7)).decision;
    expect(old.status?.sample).toEqual({ number: 1 });
    const begun = decidedAt(2, dry(old.status, 2, 100)).decision;
    const soon = decidedAt(4, dry(begun.status, 5, 180));
    expect(soon).toMatchObject({ step: 'Preflight', action: '-', message: 'measuring the rate of messages' });
    const { decision, ...told } = decidedAt(6, dry(soon.decision.status, 9, 260));
    expect(told).toMatchObject({ phase: 'Completed', action: '-', events: ['Normal Completed'] });
    expect(decision.status?.plan).toEqual({
      strategy: 'ShadowPod',
      backend: 'Snapshot',
      consistency: 'ExactlyOnce',
      backlog: 80,
      messagesPerSecond: 40,
      podStartSeconds: 0,
      pauseSeconds: 3,
      totalSeconds: 8,
    });
    expect(decision.status?.message).toBe(
      'the migration is possible: about 8 s, with pauses of at most 3 s (1 s with a state of at most 1048576 bytes)',
    );
    expect(decision.status).not.toHaveProperty('handover');
    expect(decision.status?.conditions).toContainEqual(
      expect.objectContaining({ type: 'Completed', status: 'True', reason: 'DryRun' }),
    );
  });

  test('MIG-70 of a pod with a claim predicts that it ends before its successor starts', () => {
    const volumes = [{ name: 'data', persistentVolumeClaim: { claimName: 'data-consumer-0' } }];
    const named = podOf({ spec: { volumes } });
    const planAt = (seconds: number, status: MigrationStatus | undefined, number: number) =>
      decidedAt(seconds, { ...dry(status, number, 0), named }).decision.status;
    const begun = planAt(1, planAt(0, undefined, 1), 2);
    expect(planAt(5, begun, 3)?.plan).toMatchObject({
      strategy: 'Sequential',
      pauseSeconds: 3,
      totalSeconds: 7,
    });
  });

  test('MIG-71 is rejected for what a migration would be', () => {
    const unready = { ...dry(), node: nodeOf('False') };
    expect(decidedAt(0, unready)).toMatchObject({ phase: 'Rejected', why: 'TargetNodeNotReady' });
  });
});

describe('an object whose migration is over', () => {
  const over = (spec: Spec): ObservedMigration => {
    const completionTime = timeAt(0);
    return {
      ...ALL_WELL,
      migration: migrationOf(spec, { handedOver: false, phase: 'Failed', completionTime }),
    };
  };

  test('MIG-75 is deleted when its time is over, not before', () => {
    const kept = over({ ttlSecondsAfterFinished: 60 });
    expect(decidedAt(45, kept)).toMatchObject({ action: '-', requeueAfter: 15_000 });
    expect(decidedAt(60, kept)).toMatchObject({ action: 'deleteMigration' });
  });

  test('MIG-75 stays where no time is given', () => {
    expect(decidedAt(99_999, over({}))).toMatchObject({ action: '-', requeueAfter: undefined });
  });
});

describe('the deadlines of a migration', () => {
  test.each<readonly [string, Spec['deadlines'], number]>([
    ['are those of the process', undefined, 600],
    ['may be its own', { stepSeconds: 20 }, 20],
  ])('%s', (_whose, deadlines, seconds) => {
    const { status } = decidedAt(0, ALL_WELL).decision;
    if (status === undefined) throw new TypeError('no status');
    const spec = deadlines === undefined ? {} : { deadlines };
    const at = { ...ALL_WELL, migration: migrationOf(spec, { ...status, step: 'CreateMirror' }) };
    expect(decidedAt(seconds, at, ['CreateMirror']).decision.status?.outcome).toBeUndefined();
    expect(decidedAt(seconds + 1, at).decision.status?.outcome).toMatchObject({ reason: 'DeadlineExceeded' });
  });
});

test('each phase is timed, and the progress never falls', () => {
  const locked = decidedAt(0, ALL_WELL).decision.status;
  if (locked === undefined) throw new TypeError('no status');
  expect(locked).toMatchObject({ step: 'Lock', phase: 'Pending', progress: 0 });
  const outcome = { phase: 'Failed', reason: 'TargetLost', message: 'gone' } as const;
  const next = {
    ...ALL_WELL,
    migration: migrationOf({}, { ...locked, step: 'UndoLock', outcome, progress: 40 }),
  };
  expect(decidedAt(75, next).decision.status).toMatchObject({
    phase: 'Failed',
    progress: 40,
    phaseTimings: { Pending: '1m15s' },
  });
});
