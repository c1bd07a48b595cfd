import { describe, expect, test } from 'vitest';
import type { MigrationStatus } from '../api.ts';
import {
  ALL_WELL,
  brokerWith,
  decidedAt,
  marked,
  MIGRATION_UID,
  migrationOf,
  nodeOf,
  type PodFacts,
  podOf,
  reportFrom,
  setOf,
  SHADOW,
  SOURCE,
  timeAt,
} from '../testing/migration-bench.ts';
import type { LivePod, ObservedMigration } from './observed-migration.ts';

// What happens to pods, nodes and StatefulSet while a pod moves, and what becomes of the migration.

const shadow = (facts: PodFacts = {}): LivePod =>
  podOf({ uid: SHADOW, name: 'consumer-0-shadow', labels: marked('shadow'), ...facts });

/** A migration whose shadow is there, in the given step since its first second. */
function statusAt(step: string, more: Partial<MigrationStatus> = {}): MigrationStatus {
  const { status } = decidedAt(0, ALL_WELL).decision;
  return {
    handedOver: false,
    ...status,
    step,
    stepTime: timeAt(0),
    handover: {
      epoch: 1,
      from: { pod: 'consumer-0', uid: SOURCE, instance: `${SOURCE}-1` },
      to: { pod: 'consumer-0-shadow', uid: SHADOW, instance: `${SHADOW}-1` },
      mirror: 'orders-0.mig.f0e1d2c3.1',
      snapshotDigest: 'a',
      committed: false,
    },
    ...more,
  };
}

const SNAPSHOT = { queue: 'snapshot', chunks: 1, bytes: 2, sha256: 'a' };

/** The shadow is to restore what the source has written. */
function restoringFrom(snapshot: typeof SNAPSHOT): MigrationStatus {
  const { handover, ...status } = statusAt('Restore');
  return { ...status, ...(handover && { handover: { ...handover, snapshot } }) };
}

function seen(status: MigrationStatus, facts: Partial<ObservedMigration> = {}): ObservedMigration {
  const named = podOf({ labels: marked('source') });
  const broker = brokerWith(reportFrom(SOURCE), reportFrom(SHADOW, { mode: 'following' }));
  return { ...ALL_WELL, migration: migrationOf({}, status), named, shadow: shadow(), broker, ...facts };
}

/** The migration is undone from here: the source is told to go on first. */
function expectUndone(observed: ObservedMigration, reason: string, seconds = 1): string | undefined {
  const { decision, step } = decidedAt(seconds, observed);
  expect(step).toBe('UndoSource');
  expect(decision.status?.outcome).toMatchObject({ phase: 'Failed', reason });
  expect(decision.action).toMatchObject({ queue: `ms2m.control.${SOURCE}`, command: { type: 'resume' } });
  return decision.status?.outcome?.message;
}

describe('MIG-44 a shadow that does not start', () => {
  const waitingFor = (reason: string): LivePod => {
    const state = { waiting: { reason } };
    const container = { name: 'main', ready: false, restartCount: 0, image: 'i', imageID: '', state };
    return { ...shadow(), status: { phase: 'Pending', containerStatuses: [container] } };
  };
  const created = statusAt('CreateShadow');
  const { handover } = created;
  const starting =
    handover === undefined
      ? created
      : { ...created, handover: { ...handover, to: { pod: 'consumer-0-shadow' } } };

  test.each<readonly [string, LivePod]>([
    ['CrashLoopBackOff', waitingFor('CrashLoopBackOff')],
    ['ErrImageNeverPull', waitingFor('ErrImageNeverPull')],
    ['OutOfcpu', { ...shadow(), status: { phase: 'Failed', reason: 'OutOfcpu' } }],
    ['Failed', { ...shadow(), status: { phase: 'Failed' } }],
  ])('%s: it is undone at the limit of the step, which says why', (reason, pod) => {
    const waiting = decidedAt(599, seen(starting, { shadow: pod }));
    expect(waiting).toMatchObject({ step: 'CreateShadow', action: '-' });
    expect(waiting.message).toContain(reason);
    const after = seen(waiting.decision.status ?? starting, { shadow: pod });
    expect(expectUndone(after, 'DeadlineExceeded', 601)).toContain(reason);
  });
});

test('MIG-44 a shadow whose container starts, and crashes again and again: its pod is Running, and the message says why it does not report', () => {
  const state = { waiting: { reason: 'CrashLoopBackOff' } };
  const container = { name: 'main', ready: false, restartCount: 5, image: 'i', imageID: 'i', state };
  const crashing = { ...shadow(), status: { phase: 'Running' as const, containerStatuses: [container] } };
  const facts = { shadow: crashing, broker: brokerWith(reportFrom(SOURCE)) };
  const restoring = restoringFrom(SNAPSHOT);
  const waiting = decidedAt(599, seen(restoring, facts));
  expect(waiting).toMatchObject({ step: 'Restore', action: '-' });
  const after = seen(waiting.decision.status ?? restoring, facts);
  expect(expectUndone(after, 'DeadlineExceeded', 601)).toBe(
    'step Restore took longer than 600 s: no consumer reports yet: pod consumer-0-shadow is Running: CrashLoopBackOff',
  );
});

describe('MIG-14 the queue with the snapshot, in step Restore', () => {
  const restoring = restoringFrom(SNAPSHOT);
  const broker = brokerWith(reportFrom(SOURCE), reportFrom(SHADOW));
  const withQueues = (...names: readonly string[]) => ({
    broker: {
      ...broker,
      queues: new Map(
        ['orders-0.mig.f0e1d2c3.1', ...names].map((name) => [name, { ready: 1, consumers: 0 }]),
      ),
    },
  });

  test('is there: the shadow gets the command to restore from it', () => {
    const { step, decision } = decidedAt(1, seen(restoring, withQueues('snapshot')));
    expect(step).toBe('Restore');
    expect(decision.action).toMatchObject({ command: { type: 'restore', snapshot: SNAPSHOT } });
  });

  test('is gone, because the broker was killed: the source goes on', () => {
    expect(expectUndone(seen(restoring, withQueues()), 'SnapshotLost')).toBe(
      'queue snapshot, which had the snapshot, is gone',
    );
  });
});

describe.each(['Restore', 'CatchUp', 'Quiesce', 'ApplyRest'])('in step %s, before the handover', (step) => {
  test('MIG-45 the target node is not ready any more: the source goes on', () => {
    expectUndone(seen(statusAt(step), { node: nodeOf('False') }), 'TargetNodeNotReady');
    const { node: _gone, ...without } = seen(statusAt(step));
    expectUndone(without, 'TargetNodeMissing');
  });

  test('MIG-54 somebody edits the template: the source goes on, until the rollout replaces it', () => {
    const rolling = { set: setOf({}, { updateRevision: 'r2' }) };
    expectUndone(seen(statusAt(step), rolling), 'RolloutInProgress');
  });

  test('MIG-56 MIG-57 the set is scaled to 0, or deleted: its owner wins', () => {
    expectUndone(seen(statusAt(step), { set: setOf({ replicas: 0 }) }), 'OrdinalOutOfRange');
    const { set: _gone, ...without } = seen(statusAt(step));
    expectUndone(without, 'StatefulSetGone');
  });
});

test('MIG-57 of a set that is deleted the shadow goes too', () => {
  const outcome = { phase: 'Failed', reason: 'StatefulSetGone', message: 'gone' } as const;
  const { set: _gone, named: _left, ...rest } = seen(statusAt('UndoSource', { outcome }));
  expect(decidedAt(1, rest).decision.action).toMatchObject({
    type: 'deletePod',
    pod: { metadata: { uid: SHADOW } },
  });
});

describe('after the handover', () => {
  const handedOver = statusAt('ReplaceSource', {
    handedOver: true,
    handover: {
      epoch: 2,
      from: { pod: 'consumer-0-shadow', uid: SHADOW, instance: `${SHADOW}-1` },
      to: { pod: 'consumer-0' },
      mirror: 'orders-0.mig.f0e1d2c3.2',
      committed: false,
    },
  });

  test('MIG-46 the source is stuck on a node that is not ready: it is waited for, however long, and never deleted by force', () => {
    const stuck = { named: podOf({ labels: marked('source'), ending: true }), node: nodeOf('False') };
    expect(decidedAt(1, seen(handedOver, stuck))).toMatchObject({ step: 'ReplaceSource', action: '-' });
    expect(decidedAt(1_000_000, seen(handedOver, stuck))).toMatchObject({
      step: 'ReplaceSource',
      action: '-',
      message: 'waiting for pod consumer-0 to end',
    });
  });

  test('MIG-46 it goes on when the pod is gone: its node was fenced', () => {
    const { named: _fenced, ...rest } = seen(handedOver);
    expect(decidedAt(2, rest)).toMatchObject({
      action: '-',
      message: 'waiting for the StatefulSet to make pod consumer-0',
    });
  });

  test('MIG-54 somebody edits the template: the state is where it is, and the migration goes on', () => {
    const rolling = { set: setOf({}, { updateRevision: 'r2' }) };
    expect(decidedAt(1, seen(handedOver, rolling))).toMatchObject({
      step: 'ReplaceSource',
      action: 'deletePod',
    });
  });
});

test.each(['ResumeShadow', 'DeleteFailedQueues'])(
  'at %s, after a later handover failed, neither its lost target nor its full mirror is in the way',
  (step) => {
    const status = statusAt(step, {
      handedOver: true,
      handover: {
        epoch: 2,
        from: { pod: 'consumer-0-shadow', uid: SHADOW, instance: `${SHADOW}-1` },
        to: { pod: 'consumer-0', uid: 'lost-uid' },
        mirror: 'orders-0.mig.f0e1d2c3.2',
        committed: false,
      },
    });
    const broker = brokerWith(reportFrom(SHADOW));
    const queues = new Map([['orders-0.mig.f0e1d2c3.2', { ready: 10_000_000, consumers: 0 }]]);
    const full = { ...broker, queues };
    const { named: _lost, ...rest } = seen(status, { broker: full });
    const { step: next, action } = decidedAt(1, rest);
    expect([next, action]).toEqual([step, step === 'ResumeShadow' ? 'send' : 'deleteQueues']);
  },
);

describe('MIG-14 a mirror that a broker has lost', () => {
  const gone = (...looked: readonly string[]): Partial<ObservedMigration> => ({
    broker: {
      ...brokerWith(reportFrom(SOURCE), reportFrom(SHADOW, { mode: 'following' })),
      queues: new Map(looked.map((queue) => [queue, { ready: 0, consumers: 1 }])),
    },
  });

  test.each(['Barrier', 'Restore', 'CatchUp', 'Quiesce', 'ApplyRest'])(
    'has lost messages: at %s all is undone, and it is said why',
    (step) => {
      expect(expectUndone(seen(statusAt(step), gone()), 'MirrorLost')).toBe(
        'queue orders-0.mig.f0e1d2c3.1, which had the messages since the snapshot, is gone',
      );
    },
  );

  test('nobody else has them when the source is lost: the queue is waited for', () => {
    const status = { ...statusAt('ApplyMirror'), sourceLost: true };
    expect(decidedAt(1, seen(status, gone())).decision.status).not.toHaveProperty('outcome');
  });
});

describe('MIG-22 a mirror that is full', () => {
  const full = (ready: number): Partial<ObservedMigration> => {
    const broker = brokerWith(reportFrom(SOURCE), reportFrom(SHADOW, { mode: 'following' }));
    const queues = new Map([['orders-0.mig.f0e1d2c3.1', { ready, consumers: 1 }]]);
    return { broker: { ...broker, queues } };
  };

  test.each(['Restore', 'CatchUp', 'Quiesce', 'ApplyRest'])(
    'has dropped messages: at %s all is undone, and it is said why',
    (step) => {
      const message = expectUndone(seen(statusAt(step), full(1_000_000)), 'MirrorFull');
      expect(message).toBe(
        'queue orders-0.mig.f0e1d2c3.1 has 1000000 messages, the most that it keeps (MS2M_MIRROR_LENGTH)',
      );
    },
  );

  test('is none while one message fits', () => {
    const { step } = decidedAt(1, seen(statusAt('CatchUp'), full(999_999)));
    expect(step).toBe('CatchUp');
  });
});

test('MIG-27 digests that differ at the cut: all is undone, and both are in the status', () => {
  const cut = { watermarks: { till: 9 }, digest: 'of-source', time: timeAt(0) };
  const { handover } = statusAt('ApplyRest');
  const status = statusAt('ApplyRest', { ...(handover && { handover: { ...handover, cut } }) });
  const report = { mode: 'paused', watermarks: { till: 9 }, digest: 'of-target' } as const;
  const handled = { migration: MIGRATION_UID, epoch: 1, step: 2 ** 52 };
  const broker = brokerWith(
    reportFrom(SOURCE, { mode: 'paused' }),
    reportFrom(SHADOW, { ...report, handled }),
  );
  const message = expectUndone(seen(status, { broker }), 'DigestMismatch');
  expect(message).toBe('at the cut the source is of-source, the target of-target');
});

test('MIG-43 MIG-45 a source that was started again is reported, too, when the migration is undone for another reason', () => {
  const outcome = {
    phase: 'Failed',
    reason: 'TargetNodeNotReady',
    message: 'node b is not ready any more',
  } as const;
  const { shadow: _gone, ...rest } = seen(statusAt('UndoLock', { outcome }));
  const undone = { ...rest, named: podOf() };
  expect(decidedAt(9, undone)).toMatchObject({ phase: 'Failed', message: outcome.message });
  const broker = brokerWith(reportFrom(SOURCE, { instance: 'again' }));
  const message = `${outcome.message}; the process of the source pod was started again, too, with the state that it had`;
  expect(decidedAt(9, { ...undone, broker })).toMatchObject({
    phase: 'Failed',
    why: outcome.reason,
    message,
  });
});

describe('MIG-79: the target is lost after it may have taken messages, and the source is still there', () => {
  const outcome = { phase: 'Failed', reason: 'StateLost', message: 'pod b is gone' } as const;
  const given = statusAt('UndoSource', { outcome, handedOver: true });
  const undoing = (committed: boolean, reason: string = 'StateLost'): MigrationStatus => ({
    ...given,
    outcome: { ...outcome, reason },
    ...(given.handover && { handover: { ...given.handover, committed } }),
  });
  const running = brokerWith(
    reportFrom(SOURCE, { handled: { migration: MIGRATION_UID, epoch: 1, step: 9 } }),
  );

  test('its error says why its state is an old one, and so does the Event for who looks at the migration', () => {
    expect(decidedAt(1, seen(undoing(true))).decision.action).toMatchObject({
      command: { type: 'resume', lost: 'pod b is gone' },
    });
    const { decision, events } = decidedAt(1, seen(undoing(true), { broker: running }));
    expect(events).toContain('Warning OldState');
    expect(decision.status?.outcome?.message).toMatch(
      /what pod consumer-0-shadow has applied since is missing/,
    );
  });

  test.each([
    ['before the handover', undoing(false)],
    ['where the target has not been told to go on', undoing(true, 'TargetLost')],
  ])('%s its state is whole', (_what, status) => {
    expect(decidedAt(1, seen(status)).decision.action).not.toHaveProperty('command.lost');
    expect(decidedAt(1, seen(status, { broker: running })).events).not.toContain('Warning OldState');
  });
});
