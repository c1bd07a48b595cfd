import { describe, expect, test } from 'vitest';
import type { Handover, MigrationStatus } from '../api.ts';
import { readSettings } from '../settings.ts';
import {
  ALL_WELL,
  brokerWith,
  decidedAt,
  marked,
  MIGRATION_UID,
  migrationOf,
  NEW,
  podOf,
  reportFrom,
  SHADOW,
  SOURCE,
  timeAt,
} from '../testing/migration-bench.ts';
import type { ObservedMigration } from './observed-migration.ts';

// A small state is moved while its source stands still: from the barrier on, until the target consumes.

const MIRROR = 'orders-0.mig.f0e1d2c3.1';
const QUEUE = 'ms2m.snapshot.f0e1d2c3.1.2';
const FACTS = { queue: QUEUE, chunks: 1, bytes: 1000, sha256: 'a' };
const MARKS = { watermarks: { till: 7 }, digest: 'd' };
const CUT = { ...MARKS, time: timeAt(0) };

const fence = (step: number, epoch = 1) => ({ migration: MIGRATION_UID, epoch, step });

function statusAt(step: string, handover: Partial<Handover> = {}): MigrationStatus {
  const { status } = decidedAt(0, ALL_WELL).decision;
  return {
    handedOver: false,
    ...status,
    step,
    stepTime: timeAt(0),
    handover: {
      epoch: 1,
      from: { pod: 'consumer-0', uid: SOURCE, instance: `${SOURCE}-1` },
      to: { pod: 'consumer-0-shadow', uid: SHADOW },
      mirror: MIRROR,
      committed: false,
      ...handover,
    },
  };
}

type Reports = {
  readonly source?: Parameters<typeof reportFrom>[1];
  readonly target?: Parameters<typeof reportFrom>[1] | 'silent';
};

function seen(status: MigrationStatus, { source, target }: Reports = {}): ObservedMigration {
  const reports = [
    reportFrom(SOURCE, source),
    ...(target === 'silent' ? [] : [reportFrom(SHADOW, { mode: 'paused', ...target })]),
  ];
  return {
    ...ALL_WELL,
    migration: migrationOf({}, status),
    named: podOf({ labels: marked('source') }),
    shadow: podOf({ uid: SHADOW, name: 'consumer-0-shadow', labels: marked('shadow') }),
    broker: {
      ...brokerWith(...reports),
      queues: new Map([MIRROR, QUEUE].map((queue) => [queue, { ready: 0, consumers: 0 }])),
    },
  };
}

describe('before the source stops', () => {
  test('MIG-84 the process of the target is waited for, so that it can restore at once', () => {
    expect(decidedAt(1, seen(statusAt('CreateMirror'), { target: 'silent' }))).toMatchObject({
      step: 'CreateMirror',
      action: '-',
      message: 'no consumer reports yet: pod consumer-0-shadow is Running',
    });
  });

  test('MIG-84 the queue is held for the target: no process that starts without the state takes messages', () => {
    const { action } = decidedAt(1, seen(statusAt('CreateMirror'))).decision;
    expect(action).toMatchObject({ type: 'createMirror', mirror: MIRROR, holder: SHADOW });
  });

  test('of a later handover the queue is held already', () => {
    const from = { pod: 'consumer-0-shadow', uid: SHADOW };
    const to = { pod: 'consumer-0', uid: NEW };
    const status = { ...statusAt('CreateMirror', { epoch: 2, from, to }), handedOver: true };
    const named = podOf({
      uid: NEW,
      labels: marked('restored'),
      annotations: { 'migration.ms2m.io/epoch': '2' },
    });
    const broker = brokerWith(reportFrom(NEW, { mode: 'paused' }), reportFrom(SHADOW));
    const { action } = decidedAt(1, { ...seen(status), named, broker }).decision;
    expect(action).toMatchObject({ type: 'createMirror' });
    expect(action).not.toHaveProperty('holder');
  });

  test('the queue for its state is declared; the barrier says which', () => {
    expect(decidedAt(1, seen(statusAt('DeclareSnapshot'))).decision.action).toMatchObject({ queue: QUEUE });
    const { decision, step } = decidedAt(1, seen(statusAt('DeclareSnapshot')), ['DeclareSnapshot']);
    expect(step).toBe('Barrier');
    expect(decision.action).toMatchObject({ queue: 'orders-0', command: { type: 'pause', snapshot: QUEUE } });
  });

  test('MIG-84 the barrier says who waits for the state: the source has it restore that, and nobody has to look before', () => {
    const { decision } = decidedAt(1, seen(statusAt('Barrier')));
    const successor = { pod: SHADOW, step: 1, hold: true, primary: 'orders-0' };
    expect(decision.action).toMatchObject({ queue: 'orders-0', command: { type: 'pause', successor } });
  });
});

describe('a source that has stopped', () => {
  const written = { mode: 'paused', handled: fence(1), snapshot: FACTS, ...MARKS } as const;

  test('MIG-84 and has written a small state at the barrier stays there, and the target restores', () => {
    const { decision, step } = decidedAt(1, seen(statusAt('Barrier'), { source: written }));
    expect(step).toBe('Restore');
    expect(decision.action).toMatchObject({ command: { type: 'restore', snapshot: FACTS, hold: true } });
    expect(decision.status?.handover).toMatchObject({ snapshot: FACTS, cut: { ...MARKS, time: timeAt(1) } });
  });

  test('MIG-84 with a state that is larger than MS2M_COPY_BYTES goes on, and the target catches up', () => {
    const settings = readSettings({ MS2M_COPY_BYTES: '999' });
    const facts = { ...seen(statusAt('Barrier'), { source: written }), settings };
    const { decision, step } = decidedAt(1, facts);
    expect(step).toBe('Resume');
    expect(decision.action).toMatchObject({ command: { type: 'resume' } });
    expect(decision.status?.handover).not.toHaveProperty('cut');
    const resumed = { mode: 'running', handled: fence(3), snapshot: FACTS } as const;
    const after = decision.status ?? statusAt('Resume');
    expect(decidedAt(2, { ...seen(after, { source: resumed }), settings }).step).toBe('Restore');
  });

  const sent = { ...written, successor: SHADOW } as const;

  test('MIG-84 and has had the target restore its state needs one look: the target takes over', () => {
    const target = { handled: fence(1), ...MARKS };
    const { decision, step } = decidedAt(1, seen(statusAt('Barrier'), { source: sent, target }));
    expect(step).toBe('TakeOver');
    expect(decision.status).toMatchObject({
      handedOver: true,
      handover: { committed: true, snapshot: FACTS, cut: { ...MARKS, targetDigest: 'd' } },
    });
    expect(decision.action).toMatchObject({ command: { type: 'resume', instance: `${SHADOW}-1` } });
  });

  test('and has sent its state to a target that does not have it yet is waited for; after ten seconds the operator sends the command', () => {
    const { decision, step } = decidedAt(1, seen(statusAt('Barrier'), { source: sent }));
    expect(step).toBe('Restore');
    expect(decision).not.toHaveProperty('action');
    expect(decision.requeueAfter).toBe(15);
    const after = decision.status ?? statusAt('Restore');
    const { action } = decidedAt(12, seen(after, { source: sent })).decision;
    expect(action).toMatchObject({ command: { type: 'restore', snapshot: FACTS, step: 1 } });
  });

  test('and has written nothing there, because its SDK is an older one, is commanded to', () => {
    const { snapshot: _none, ...older } = written;
    const { decision, step } = decidedAt(1, seen(statusAt('Barrier'), { source: older }));
    expect(step).toBe('Snapshot');
    expect(decision.action).toMatchObject({ command: { type: 'snapshot', queue: QUEUE, step: 2 } });
  });

  test('and could not write is resumed, and all is undone', () => {
    const source = { mode: 'paused', handled: fence(1), failure: 'there is no queue' } as const;
    const { decision, step } = decidedAt(1, seen(statusAt('Barrier'), { source }));
    expect(step).toBe('UndoSource');
    expect(decision.status?.outcome).toMatchObject({ reason: 'CommandFailed' });
  });

  test('is looked at every 15 ms, and after ten seconds as often as before', () => {
    const restoring = statusAt('Restore', {
      snapshot: FACTS,
      snapshotDigest: 'd',
      cut: CUT,
      sent: 'Restore',
    });
    expect(decidedAt(9, seen(restoring))).toMatchObject({ action: '-', requeueAfter: 15 });
    const patient = { ...restoring, handover: { ...restoring.handover, sentTime: timeAt(5) } as Handover };
    expect(decidedAt(11, seen(patient))).toMatchObject({ action: '-', requeueAfter: 200 });
  });

  test('stands still for as long as consumption may pause', () => {
    const status = statusAt('Restore', { snapshot: FACTS, snapshotDigest: 'd', cut: CUT });
    expect(decidedAt(61, seen(status)).decision.status?.outcome).toMatchObject({
      reason: 'DeadlineExceeded',
    });
  });
});

describe('a target that has restored a small state', () => {
  const status = statusAt('Restore', { snapshot: FACTS, snapshotDigest: 'd', cut: CUT });
  const restored = { mode: 'paused', handled: fence(1), ...MARKS } as const;

  test('MIG-84 takes over: it has all that the source has, and both digests are on record', () => {
    const { decision, step } = decidedAt(1, seen(status, { target: restored }));
    expect(step).toBe('TakeOver');
    expect(decision.status).toMatchObject({
      handedOver: true,
      handover: { committed: true, cut: { ...CUT, targetDigest: 'd' }, to: { instance: `${SHADOW}-1` } },
    });
    expect(decision.action).toMatchObject({ command: { type: 'resume', instance: `${SHADOW}-1` } });
  });

  test.each([
    ['another state than the source wrote', { digest: 'other' }],
    ['not found what the source wrote', { failure: 'the snapshot is not the one that was written' }],
  ])(
    'and has %s restores once more, and then does not take over: a source that was started again may have sent its own',
    (_title, other) => {
      const { action } = decidedAt(1, seen(status, { target: { ...restored, ...other } })).decision;
      expect(action).toMatchObject({ command: { type: 'restore', snapshot: FACTS, step: 2 } });
      const again = { ...restored, ...other, handled: fence(2) };
      const { decision } = decidedAt(1, seen(status, { target: again }));
      const reason = 'failure' in other ? 'CommandFailed' : 'DigestMismatch';
      expect(decision.status).toMatchObject({ handedOver: false, outcome: { reason } });
    },
  );

  test('MIG-42 applies the mirror where the source is lost meanwhile: another pod may have taken messages', () => {
    const { named: _lost, ...facts } = seen(status, { target: restored });
    const { decision, step } = decidedAt(1, facts);
    expect(step).toBe('ApplyMirror');
    expect(decision.status).toMatchObject({ sourceLost: true, handedOver: false });
    expect(decision.action).toMatchObject({ command: { type: 'follow', queue: MIRROR } });
  });
});
