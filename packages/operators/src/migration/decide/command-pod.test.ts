import { describe, expect, test } from 'vitest';
import type { Handover, MigrationStatus, StatefulMigration } from '../api.ts';
import {
  ALL_WELL,
  brokerWith,
  decidedAt,
  marked,
  MIGRATION_UID,
  migrationOf,
  podOf,
  reportFrom,
  SHADOW,
  SOURCE,
  timeAt,
} from '../testing/migration-bench.ts';
import type { ObservedMigration } from './observed-migration.ts';

const MARK = 'pause is sent to queue orders-0, whose consumer has not come to it';

const at = (
  status: MigrationStatus | undefined,
  more: Partial<ObservedMigration> = {},
): ObservedMigration => ({
  ...ALL_WELL,
  ...more,
  migration: migrationOf({}, status),
});

/** A migration in its first second, where all that a step needs is known. */
function statusAt(step: string, more: Partial<MigrationStatus> = {}): MigrationStatus {
  return { handedOver: false, ...decidedAt(0, ALL_WELL).decision.status, step, ...more };
}

describe('the mark in the queue of the source', () => {
  const waiting = decidedAt(1, at(statusAt('Barrier')), ['Barrier']).decision.status;

  test('is sent once, and names the pod that it is to stop', () => {
    const { action } = decidedAt(1, at(statusAt('Barrier'))).decision;
    expect(action).toMatchObject({
      type: 'send',
      queue: 'orders-0',
      command: { type: 'pause', pod: SOURCE, epoch: 1, step: 1 },
    });
    expect(decidedAt(2, at(waiting))).toMatchObject({ step: 'Barrier', action: '-', message: MARK });
  });

  test('MIG-76 carries the token of the pod, if that reports one', () => {
    const broker = brokerWith(reportFrom(SOURCE, { token: 'secret' }));
    expect(decidedAt(1, at(statusAt('Barrier'), { broker })).decision.action).toMatchObject({
      command: { type: 'pause', pod: SOURCE, token: 'secret' },
    });
    expect(decidedAt(1, at(statusAt('Barrier'))).decision.action).not.toHaveProperty('command.token');
  });

  test.each([
    ['a pause of a later epoch', { epoch: 7, step: 3 }, { epoch: 7, step: 4 }],
    ['a pause with the last number', { epoch: 1, step: 2 ** 53 - 1 }, { epoch: 2, step: 1 }],
  ])('MIG-76 %s that somebody else has sent is undone', (_what, forged, exceeding) => {
    const outcome = {
      phase: 'Failed',
      reason: 'NoSnapshot',
      message: 'the source reports no snapshot',
    } as const;
    const undoing = statusAt('UndoSource', { outcome });
    const handled = { migration: MIGRATION_UID, ...forged };
    const stopped = brokerWith(reportFrom(SOURCE, { mode: 'paused', handled }));
    const { decision } = decidedAt(1, at(undoing, { broker: stopped }));
    expect(decision.action).toMatchObject({ command: { type: 'resume', ...exceeding } });
    const gone = { migration: MIGRATION_UID, ...exceeding };
    const broker = brokerWith(reportFrom(SOURCE, { mode: 'running', handled: gone }));
    expect(decidedAt(2, at(undoing, { broker })).step).not.toBe('UndoSource');
  });

  test('MIG-26 is waited for until the limit of the step; then all is undone, and it is said why', () => {
    expect(decidedAt(600, at(waiting))).toMatchObject({ step: 'Barrier', action: '-' });
    const { decision, ...told } = decidedAt(601, at(waiting));
    expect(told).toMatchObject({
      phase: 'Aborting',
      step: 'UndoSource',
      action: 'send',
      events: ['Warning DeadlineExceeded', 'Normal Aborting'],
    });
    expect(decision.status?.outcome).toEqual({
      phase: 'Failed',
      reason: 'DeadlineExceeded',
      message: `step Barrier took longer than 600 s: ${MARK}`,
    });
    expect(decision.action).toMatchObject({ command: { type: 'resume', epoch: 1, step: 9 } });
  });

  test('MIG-26 nor is a source waited for, longer than nobody may consume, that does not stop at the cut', () => {
    const handover = {
      epoch: 1,
      from: { pod: 'consumer-0', uid: SOURCE, instance: `${SOURCE}-1` },
      to: { pod: 'consumer-0-shadow' },
      mirror: 'mirror',
      sent: 'Quiesce',
      sentTime: timeAt(59),
      committed: false,
    };
    const quiescing = statusAt('Quiesce', { handover });
    expect(decidedAt(60, at(quiescing))).toMatchObject({ step: 'Quiesce', action: '-' });
    const { decision, step } = decidedAt(61, at(quiescing));
    expect(step).toBe('UndoSource');
    expect(decision.status?.outcome).toMatchObject({ phase: 'Failed', reason: 'DeadlineExceeded' });
    expect(decision.action).toMatchObject({ command: { type: 'resume', epoch: 1, step: 9 } });
  });

  test('a command that a broker has forgotten with the queue of the pod is sent again', () => {
    const { handover } = statusAt('Barrier');
    const quiescing = statusAt('Quiesce', {
      handover: { ...handover, sent: 'Quiesce', sentTime: timeAt(20) } as Handover,
    });
    expect(decidedAt(29, at(quiescing)).action).toBe('-');
    expect(decidedAt(30, at(quiescing)).action).toBe('send');
    const again = decidedAt(30, at(quiescing), ['Quiesce']).decision.status;
    expect(again?.handover).toMatchObject({ sent: 'Quiesce', sentTime: timeAt(30) });
  });

  test('MIG-43 is not waited for by a process that was started again: it has lost its state', () => {
    const again = brokerWith(reportFrom(SOURCE, { instance: 'again' }));
    const { decision, step } = decidedAt(2, at(waiting, { broker: again }));
    expect(step).toBe('UndoSource');
    expect(decision.status?.outcome).toMatchObject({ phase: 'Failed', reason: 'SourceRestarted' });
  });
});

test('MIG-43 a shadow that was started again between two handovers has lost the state, and it is said', () => {
  const labels = marked('shadow');
  const shadow = podOf({ uid: SHADOW, name: 'consumer-0-shadow', labels });
  const handover = {
    epoch: 1,
    from: { pod: 'consumer-0', uid: SOURCE, instance: `${SOURCE}-1` },
    to: { pod: 'consumer-0-shadow', uid: SHADOW, instance: `${SHADOW}-1` },
    mirror: 'orders-0.mig.f0e1d2c3.1',
    committed: true,
  };
  const as = (instance: string): Partial<ObservedMigration> => ({
    shadow,
    broker: brokerWith(reportFrom(SOURCE, { mode: 'paused' }), reportFrom(SHADOW, { instance })),
  });
  const first = statusAt('NextHandover', { handover, handedOver: true });
  const second = decidedAt(1, at(first, as(`${SHADOW}-1`)));
  expect(second).toMatchObject({ step: 'ReplaceSource', action: 'deletePod' });
  const { status } = decidedAt(2, at(second.decision.status, as('again'))).decision;
  expect(status?.outcome).toMatchObject({ phase: 'Failed', reason: 'StateLost' });
});

describe('the queue of the pod whose state the shadow has', () => {
  const snapshot = { queue: 'snapshot', chunks: 1, bytes: 2, sha256: 'a' };
  const restoring = (to: string): ObservedMigration => {
    const handover = {
      epoch: 1,
      from: { pod: 'from' },
      to: { pod: to, uid: to },
      mirror: 'mirror',
      snapshot,
    };
    const shadow = podOf({
      uid: SHADOW,
      labels: marked('shadow'),
    });
    const broker = brokerWith(reportFrom(SOURCE), reportFrom(to, { mode: 'paused' }));
    return at(statusAt('Restore', { handover: { ...handover, committed: false } }), { shadow, broker });
  };

  test('MIG-51 is held by the shadow from before it is handed over: a pod without the state takes no message', () => {
    const { action } = decidedAt(1, restoring(SHADOW)).decision;
    expect(action).toMatchObject({ command: { type: 'restore', snapshot, hold: true } });
  });

  test('is not undone before who waited for it was asked, and may begin', () => {
    const outcome = { phase: 'Failed', reason: 'StateLost', message: 'gone' } as const;
    const status = statusAt('UndoLock', { outcome });
    const away = { type: 'unavailable', message: 'connection refused' } as const;
    expect(decidedAt(1, at(status, { broker: away }))).toMatchObject({ step: 'UndoLock', action: '-' });
    expect(decidedAt(1, at(status))).toMatchObject({ phase: 'Failed' });
  });
});

describe('a source that has applied more at each look', () => {
  const labels = marked('shadow');
  const handover = {
    epoch: 1,
    from: { pod: 'consumer-0', uid: SOURCE },
    to: { pod: 'consumer-0-shadow', uid: SHADOW },
    mirror: 'mirror',
    lag: { least: 90, since: '2026-01-01T00:00:10Z' },
    committed: false,
  };
  /** The target has carried out its command at the last look. */
  const catchingUp = (applied: number): ObservedMigration => {
    const handled = { migration: MIGRATION_UID, epoch: 1, step: 10 + applied };
    const broker = brokerWith(
      reportFrom(SOURCE, { watermarks: { till: 1000 } }),
      reportFrom(SHADOW, { mode: 'following', watermarks: { till: applied }, handled }),
    );
    const shadow = podOf({ uid: SHADOW, name: 'consumer-0-shadow', labels });
    return at(statusAt('CatchUp', { handover }), { shadow, broker });
  };

  test.each<readonly [string, number, number, string]>([
    ['is followed while the target gets closer', 12, 950 - 10, 'CatchUp'],
    ['is stopped once the target is close', 12, 950, 'Quiesce'],
    ['is stopped once the target gets no closer', 15, 900, 'Quiesce'],
    ['is not stopped for a target that is new', 15, -10, 'CatchUp'],
  ])('MIG-8 %s', (_what, second, applied, step) => {
    const watermark = Math.max(0, applied);
    const seen = catchingUp(watermark);
    const fresh = {
      ...seen,
      broker: brokerWith(
        reportFrom(SOURCE, { watermarks: { till: 1000 } }),
        reportFrom(SHADOW, { mode: 'paused' }),
      ),
    };
    expect(decidedAt(second, applied < 0 ? fresh : seen)).toMatchObject({ step, action: 'send' });
  });

  test.each<readonly [string, Partial<StatefulMigration['spec']>, number, string]>([
    ['Cutoff', { replayMode: 'Cutoff', replayCutoffSeconds: 11 }, 940, 'Quiesce'],
    ['nothing, with a limit', { replayCutoffSeconds: 11 }, 940, 'Quiesce'],
    ['Drain, and it gets no closer', { replayMode: 'Drain', replayCutoffSeconds: 11 }, 900, 'CatchUp'],
    ['Drain, and it has caught up', { replayMode: 'Drain' }, 950, 'Quiesce'],
  ])('spec.replayMode is %s', (_what, spec, applied, step) => {
    const { migration, ...seen } = catchingUp(applied);
    expect(decidedAt(15, { ...seen, migration: migrationOf(spec, migration.status) })).toMatchObject({
      step,
    });
  });
});
