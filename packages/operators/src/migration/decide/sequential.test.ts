import type { Report } from '@kubewright/migratable';
import { describe, expect, test } from 'vitest';
import { EPOCH_ANNOTATION, type MigrationStatus } from '../api.ts';
import {
  ALL_WELL,
  brokerWith,
  decidedAt,
  marked,
  MIGRATION_UID,
  migrationOf,
  NEW,
  type PodFacts,
  podOf,
  reportFrom,
  SNAPSHOT,
  SOURCE,
  timeAt,
} from '../testing/migration-bench.ts';
import type { LivePod, ObservedBroker, ObservedMigration } from './observed-migration.ts';

// The source ends before its successor starts, and the broker has the state meanwhile.

const claim = (claimName: string): PodFacts => ({
  spec: { volumes: [{ name: 'data', persistentVolumeClaim: { claimName } }] },
});

type Handover = NonNullable<MigrationStatus['handover']>;

const source = (facts: PodFacts = {}): LivePod => podOf({ labels: marked('source'), ...facts });
/** The pod that its StatefulSet has made in an attempt. */
const successor = (epoch: number, facts: PodFacts = {}): LivePod => {
  const labels = marked('restored');
  const pod = podOf({ uid: NEW, labels, annotations: { [EPOCH_ANNOTATION]: String(epoch) }, ...facts });
  return { ...pod, metadata: { ...pod.metadata, creationTimestamp: timeAt(0) } };
};

function statusAt(step: string, handover: Partial<Handover> = {}, more: Partial<MigrationStatus> = {}) {
  const { status } = decidedAt(0, {
    ...ALL_WELL,
    migration: migrationOf({ migrationStrategy: 'Sequential' }),
  }).decision;
  const isTaken = !['Lock', 'Stop', 'DeclareSnapshot', 'Snapshot'].includes(step);
  return {
    ...status,
    handedOver: isTaken,
    step,
    stepTime: timeAt(0),
    handover: {
      epoch: 1,
      from: { pod: 'consumer-0', uid: SOURCE, instance: `${SOURCE}-1` },
      to: { pod: 'consumer-0' },
      mirror: 'orders-0.mig',
      committed: false,
      ...(isTaken && { snapshot: SNAPSHOT, snapshotDigest: 'd' }),
      ...handover,
    },
    ...more,
  } satisfies MigrationStatus;
}

/** `named` absent: nobody has the name of the source. */
function seen(status: MigrationStatus, facts: Partial<ObservedMigration> = {}): ObservedMigration {
  const { named: _source, ...rest } = ALL_WELL;
  return { ...rest, migration: migrationOf({ migrationStrategy: 'Sequential' }, status), ...facts };
}

describe('which strategy is used', () => {
  test.each<readonly [string, string, PodFacts, string, string | undefined]>([
    ['none is asked for', '', {}, 'ShadowPod', undefined],
    ['ShadowPod is asked for', 'ShadowPod', {}, 'ShadowPod', undefined],
    ['Sequential is asked for', 'Sequential', {}, 'Sequential', undefined],
    ['MIG-70 the pod has a claim', '', claim('d'), 'Sequential', 'Normal StrategyChanged'],
    [
      'MIG-70 the pod has a claim, and ShadowPod is asked for',
      'ShadowPod',
      claim('d'),
      'Sequential',
      'Normal StrategyChanged',
    ],
    ['the pod has a claim, and Sequential is asked for', 'Sequential', claim('d'), 'Sequential', undefined],
  ])('%s', (_when, migrationStrategy, facts, strategy, event) => {
    const migration = migrationOf({ migrationStrategy });
    const { decision, events } = decidedAt(0, { ...ALL_WELL, migration, named: podOf(facts) });
    expect(decision.status?.strategy).toBe(strategy);
    expect(events.filter((one) => one.includes('Strategy'))).toEqual(event === undefined ? [] : [event]);
    // Without a shadow there is none to look for, and none to delete.
    expect(decision.status?.targetPod).toBe(strategy === 'Sequential' ? undefined : 'consumer-0-shadow');
  });
});

describe('what is done', () => {
  const paused = reportFrom(SOURCE, {
    mode: 'paused',
    digest: 'd',
    handled: { migration: MIGRATION_UID, epoch: 1, step: 2 },
    snapshot: SNAPSHOT,
  });

  const QUEUE = `ms2m.snapshot.${MIGRATION_UID.slice(0, 8)}.1.2`;
  const stored = (...reports: Report[]): ObservedBroker => ({
    ...brokerWith(...reports),
    queues: new Map([[QUEUE, { ready: 0, consumers: 0 }]]),
  });

  test('the queue with the state does not expire: nobody else has it', () => {
    const { action, decision } = decidedAt(1, seen(statusAt('DeclareSnapshot'), { named: source() }));
    expect(action).toBe('storeQueues');
    expect(decision.action).toMatchObject({ queue: QUEUE });
    // From now on it is to be there for a while.
    expect(decision.status).toMatchObject({ stepTime: timeAt(1) });
  });

  test('the source stops when the queue is on the disk of the broker, and not before', () => {
    const at = (seconds: number) =>
      decidedAt(seconds, seen(statusAt('DeclareSnapshot'), { named: source(), broker: stored() }));
    expect(at(3.9)).toMatchObject({ step: 'DeclareSnapshot', action: '-', requeueAfter: 200 });
    expect(at(4).step).toBe('Stop');
  });

  test('a queue that is lost before the source ends: it goes on', () => {
    const broker = { ...brokerWith(paused), queues: new Map() };
    const given = decidedAt(1, seen(statusAt('Snapshot'), { named: source(), broker }));
    expect(given.step).toBe('UndoSource');
    expect(given.decision.status).toMatchObject({ handedOver: false, outcome: { reason: 'SnapshotLost' } });
  });

  test('with the snapshot there is no way back, and the queue is held before the source ends', () => {
    const given = decidedAt(1, seen(statusAt('Snapshot'), { named: source(), broker: stored(paused) }));
    expect(given).toMatchObject({ step: 'HoldPrimary', action: 'holdPrimary' });
    expect(given.decision.status).toMatchObject({ handedOver: true, checkpointID: 'sha256:a' });
    const held = decidedAt(2, seen(statusAt('HoldPrimary'), { named: source() }), ['HoldPrimary']);
    expect(held).toMatchObject({ step: 'ReplaceSource', action: 'deletePod' });
  });

  test('a source that is lost before its state was taken is lost with it; after that it is not missed', () => {
    const before = decidedAt(1, seen(statusAt('Stop'), { named: podOf({ uid: 'blank' }) }));
    expect(before.decision.status?.outcome).toMatchObject({ phase: 'Failed', reason: 'SourceLost' });
    const after = decidedAt(1, seen(statusAt('HoldPrimary')));
    expect(after).toMatchObject({ step: 'HoldPrimary', action: 'holdPrimary' });
  });

  test('the successor is on record as the one that goes on when it has the same state', () => {
    const restored = (digest: string) =>
      reportFrom(NEW, {
        mode: 'paused',
        digest,
        applied: 7,
        handled: { migration: MIGRATION_UID, epoch: 1, step: 1 },
      });
    const at = statusAt('Restore', { to: { pod: 'consumer-0', uid: NEW } });
    const facts = (digest: string) => ({ named: successor(1), broker: brokerWith(restored(digest)) });
    const first = decidedAt(5, seen(at, facts('d')));
    expect(first).toMatchObject({ step: 'Restore', action: '-', requeueAfter: 15 });
    // In a second in which its container has not started: one that starts later has lost the state.
    const soon = decidedAt(5.9, seen(first.decision.status as MigrationStatus, facts('d')));
    expect(soon).toMatchObject({ step: 'Restore', action: '-', requeueAfter: 15 });
    const { decision, step, action } = decidedAt(
      6,
      seen(soon.decision.status as MigrationStatus, facts('d')),
    );
    expect({ step, action }).toEqual({ step: 'TakeOver', action: 'send' });
    expect(decision.status).toMatchObject({
      messages: { applied: 7, behind: 0 },
      handover: {
        committed: true,
        cut: { digest: 'd', targetDigest: 'd', time: timeAt(6) },
        to: { instance: `${NEW}-1` },
      },
    });
    const other = decidedAt(5, seen(at, facts('e')));
    expect(other.events).toContain('Warning DigestMismatch');
    expect(other.decision.status?.handover).toMatchObject({ epoch: 2, to: { pod: 'consumer-0' } });
  });
});

describe('a successor that does not take over', () => {
  const AGAIN = { epoch: 2, from: { uid: SOURCE }, to: { pod: 'consumer-0' }, snapshot: SNAPSHOT };

  test('is gone: the next one gets the same state', () => {
    const status = statusAt('Restore', { to: { pod: 'consumer-0', uid: NEW } });
    const { decision, step, events } = decidedAt(5, seen(status));
    expect({ step, events }).toEqual({
      step: 'HoldPrimary',
      events: ['Warning TargetLost', 'Normal Transferring'],
    });
    expect(decision.status?.handover).toMatchObject(AGAIN);
    expect(decision.status?.handover?.to).not.toHaveProperty('uid');
    expect(decision.status).not.toHaveProperty('targetNodeLost');
  });

  test('of an earlier attempt is deleted, and nobody says that the webhook was not called', () => {
    const status = statusAt('ReplaceSource', AGAIN as Partial<Handover>);
    expect(decidedAt(5, seen(status, { named: successor(1) }))).toMatchObject({
      action: 'deletePod',
      events: [],
    });
  });

  test.each<readonly [string, number, boolean, boolean]>([
    ['is waited for', 600, true, false],
    ['has not started on the target node in time: it may start on any', 601, true, true],
    ['has no target node any more: it may start on any', 1, false, true],
  ])('%s', (_what, seconds, hasNode, isLost) => {
    const { node, ...facts } = seen(statusAt('ReplaceSource'), { named: successor(1, { phase: 'Pending' }) });
    const { decision, step, message } = decidedAt(seconds, { ...facts, ...(hasNode && node && { node }) });
    expect(step).toBe(isLost ? 'HoldPrimary' : 'ReplaceSource');
    expect(decision.status?.targetNodeLost).toBe(isLost ? true : undefined);
    if (!isLost) expect(message).toBe('pod consumer-0 is Pending');
  });

  test.each<readonly [string, boolean, string, string | undefined]>([
    ['Direct', true, 'ReplaceSource', undefined],
    ['Direct', false, 'UndoReplacement', 'StateLost'],
    ['Registry', false, 'ReplaceSource', undefined],
  ])(
    'of a process whose checkpoint went %s (the target node is there: %s): %s',
    (transferMode, hasNode, at, reason) => {
      const status = statusAt('ReplaceSource', {}, { backend: 'Checkpoint' });
      const { node, ...facts } = seen(status, { named: successor(1, { phase: 'Pending' }) });
      const migration = migrationOf({ migrationStrategy: 'Sequential', transferMode }, status);
      const given = decidedAt(5000, { ...facts, migration, ...(hasNode && node && { node }) });
      expect([given.step, given.decision.status?.outcome?.reason]).toEqual([at, reason]);
      expect(given.decision.status?.targetNodeLost).toBe(transferMode === 'Registry' ? true : undefined);
    },
  );

  test('may start on any node, and is waited for as long as it takes', () => {
    const status = statusAt('ReplaceSource', {}, { targetNodeLost: true });
    const { step, message } = decidedAt(5000, seen(status, { named: successor(1, { phase: 'Pending' }) }));
    expect({ step, message }).toEqual({ step: 'ReplaceSource', message: 'pod consumer-0 is Pending' });
  });

  test('that has taken over and is gone has taken the state with it', () => {
    const status = statusAt('TakeOver', { committed: true, to: { pod: 'consumer-0', uid: NEW } });
    expect(decidedAt(5, seen(status)).decision.status?.outcome).toMatchObject({
      phase: 'Failed',
      reason: 'StateLost',
    });
  });
});

describe('MIG-83: a state that no pod can restore', () => {
  const fence = (epoch: number) => ({ migration: MIGRATION_UID, epoch, step: 1 });
  /** The pod of this attempt says that it cannot. */
  const failing = (status: MigrationStatus): ObservedMigration => {
    const { epoch = 1 } = status.handover ?? {};
    const report = reportFrom(NEW, { mode: 'paused', handled: fence(epoch), failure: 'no such field' });
    return seen(status, { named: successor(epoch), broker: brokerWith(report) });
  };
  const restoring = (status: MigrationStatus): MigrationStatus => ({
    ...status,
    step: 'Restore',
    ...(status.handover && { handover: { ...status.handover, to: { pod: 'consumer-0', uid: NEW } } }),
  });

  /** What is decided after so many attempts, the last one `seconds` after the first. */
  function after(attempts: number, seconds: number) {
    let status: MigrationStatus = restoring(statusAt('Restore'));
    for (let attempt = 1; attempt < attempts; attempt++)
      status = restoring(decidedAt(1, failing(status)).decision.status ?? status);
    return decidedAt(1 + seconds, failing({ ...status, stepTime: timeAt(seconds) }));
  }

  test.each([
    ['is tried again, also often', 20, 600],
    ['is tried again, also for long', 4, 5000],
  ])('%s', (_what, attempts, seconds) => {
    const { decision, step } = after(attempts, seconds);
    expect([step, decision.status?.outcome]).toEqual(['HoldPrimary', undefined]);
    expect(decision.status?.restoreFailures?.times).toBe(attempts);
  });

  test('often and for long ends the migration, and it is said where the state is, and how to get it', () => {
    const { decision } = after(5, 601);
    const { phase, reason, message } = decision.status?.outcome ?? {};
    expect([phase, reason]).toEqual(['Failed', 'StateNotRestored']);
    expect(message).toMatch(
      /^restore: no such field, 5 times since \S+ The state is kept in queue snapshot: "kubewright migrate state move -n shop" prints it/,
    );
  });

  test.each([
    ['StateNotRestored', false],
    ['StateLost', true],
  ])('the queue with the state goes with the others after %s: %s', (reason, isDeleted) => {
    const outcome = { phase: 'Failed', reason, message: '' } as const;
    const status = statusAt('UndoQueues', { epoch: 6 }, { outcome });
    const { action } = decidedAt(1, seen(status)).decision;
    expect(action).toMatchObject({ type: 'deleteQueues' });
    const { queues } = action as { readonly queues: readonly string[] };
    expect(queues.includes('snapshot')).toBe(isDeleted);
    expect(queues).toContain('ms2m.hold.orders-0');
  });
});
