import { describe, expect, test } from 'vitest';
import type { MigrationStatus, StatefulMigration } from '../api.ts';
import { snapshotName } from '../mirror-name.ts';
import {
  ALL_WELL,
  brokerWith,
  decidedAt,
  marked,
  MIGRATION_UID,
  migrationOf,
  type PodFacts,
  podOf,
  REPLICA_SET,
  replicaSetOf,
  reportFrom,
  SHADOW,
  SNAPSHOT,
  SOURCE,
  timeAt,
} from '../testing/migration-bench.ts';
import type { LivePod, ObservedMigration } from './observed-migration.ts';

// The source goes before it has handed its state over. Once the state was taken, the target takes over without it.

const MIRROR = 'orders-0.mig.f0e1d2c3.1';
const source = (facts: PodFacts = {}): LivePod => podOf({ labels: marked('source'), ...facts });
const BLANK = podOf({ uid: 'blank' });

type Handover = NonNullable<MigrationStatus['handover']>;

function statusAt(
  step: string,
  more: Partial<MigrationStatus> = {},
  handover: Partial<Handover> = {},
): MigrationStatus {
  const { status } = decidedAt(0, ALL_WELL).decision;
  const hasTarget = step !== 'Resume' && step !== 'CreateShadow';
  return {
    handedOver: false,
    ...status,
    step,
    stepTime: timeAt(0),
    handover: {
      epoch: 1,
      from: { pod: 'consumer-0', uid: SOURCE, instance: `${SOURCE}-1` },
      to: { pod: 'consumer-0-shadow', ...(hasTarget && { uid: SHADOW }) },
      mirror: MIRROR,
      snapshot: SNAPSHOT,
      snapshotDigest: 'd',
      committed: false,
      ...handover,
    },
    ...more,
  };
}

type Facts = Partial<ObservedMigration> & { readonly spec?: Partial<StatefulMigration['spec']> };

/** `named` absent: nobody has the name of the source. */
function seen(status: MigrationStatus, { spec, ...facts }: Facts = {}): ObservedMigration {
  const { named: _source, ...rest } = ALL_WELL;
  const hasShadow = status.handover?.to.uid !== undefined;
  const shadow = podOf({ uid: SHADOW, name: 'consumer-0-shadow', labels: marked('shadow') });
  const broker = brokerWith(reportFrom(SHADOW, { mode: 'following' }));
  return {
    ...rest,
    migration: migrationOf(spec, status),
    broker: { ...broker, primary: { ready: 0, consumers: 0 } },
    ...(hasShadow && { shadow }),
    ...facts,
  };
}

describe('MIG-42 a source that is gone', () => {
  test.each([
    ['Resume', 'CreateShadow'],
    ['CreateShadow', 'CreateShadow'],
    ['Restore', 'Restore'],
    ['CatchUp', 'ApplyMirror'],
    ['Quiesce', 'ApplyMirror'],
    ['ApplyRest', 'ApplyRest'],
  ])('at %s, after its snapshot: the target takes over without it, from %s on', (at, step) => {
    const cut = { watermarks: {}, digest: 'd', time: timeAt(0) };
    const { decision, events } = decidedAt(1, seen(statusAt(at, {}, at === 'ApplyRest' ? { cut } : {})));
    expect(decision.status).toMatchObject({ step, sourceLost: true });
    expect(events).toContain('Warning SourceLost');
    expect(decision.status).not.toHaveProperty('outcome');
  });

  test('at the barrier is lost with its state', () => {
    const { handover, ...status } = statusAt('Barrier');
    const { snapshot: _none, ...bare } = handover as Handover;
    const { decision } = decidedAt(1, seen({ ...status, handover: bare }));
    expect(decision.status?.outcome).toMatchObject({ phase: 'Failed', reason: 'SourceLost' });
  });

  test.each([
    ['Barrier', 'gone', {}],
    ['Snapshot', 'gone', {}],
    ['Barrier', 'about to end', { named: source({ ending: true }) }],
  ])('MIG-85 at %s, %s, when it has written its state there: the target restores it', (at, _what, more) => {
    const { handover, ...status } = statusAt(at);
    const { snapshot: _none, snapshotDigest: _digest, ...bare } = handover as Handover;
    const handled = { migration: MIGRATION_UID, epoch: 1, step: 1 };
    const facts = { ...SNAPSHOT, queue: snapshotName(migrationOf(), 1) };
    const written = reportFrom(SOURCE, { mode: 'paused', digest: 'd', snapshot: facts, handled });
    const broker = brokerWith(written, reportFrom(SHADOW, { mode: 'paused' }));
    const { decision, events } = decidedAt(1, seen({ ...status, handover: bare }, { broker, ...more }));
    expect(decision.status).toMatchObject({
      step: 'Restore',
      sourceLost: true,
      handover: { snapshot: facts, snapshotDigest: 'd' },
    });
    expect(events).toContain('Warning SourceLost');
    expect(decision.action).toMatchObject({ type: 'send', command: { type: 'restore', snapshot: facts } });
  });

  test.each([
    ['Barrier', source()],
    ['Snapshot', source()],
    ['Snapshot', source({ ending: true })],
  ])(
    'MIG-85 at %s, and its successor in the same pod writes its own at the barrier: that is not the state',
    (at, named) => {
      const { handover, ...status } = statusAt(at);
      const { snapshot: _none, snapshotDigest: _digest, ...bare } = handover as Handover;
      const handled = { migration: MIGRATION_UID, epoch: 1, step: 1 };
      const snapshot = { ...SNAPSHOT, queue: snapshotName(migrationOf(), 1) };
      const blank = reportFrom(SOURCE, {
        instance: 'after',
        mode: 'paused',
        digest: 'blank',
        snapshot,
        handled,
      });
      const broker = brokerWith(blank, reportFrom(SHADOW, { mode: 'paused' }));
      const { decision } = decidedAt(1, seen({ ...status, handover: bare }, { broker, named }));
      expect(decision.status?.outcome).toMatchObject({ phase: 'Failed' });
      expect(decision.status?.handover).not.toHaveProperty('snapshot');
    },
  );

  test('MIG-85 at the barrier, while the broker is away: it is not lost before the broker says what it has', () => {
    const { handover, ...status } = statusAt('Barrier');
    const { snapshot: _none, snapshotDigest: _digest, ...bare } = handover as Handover;
    const broker = { type: 'unavailable', message: 'connection refused', forMs: 0 } as const;
    const { decision } = decidedAt(1, seen({ ...status, handover: bare }, { broker }));
    expect(decision.status).toMatchObject({ step: 'Barrier' });
    expect(decision.status).not.toHaveProperty('outcome');
  });

  test('of a ReplicaSet is lost with its state: the ReplicaSet has made another pod, and would delete the shadow', () => {
    const { statefulSetUID: _uid, statefulSetName: _name, ...status } = statusAt('CatchUp');
    const { set: _set, ...facts } = seen({ ...status, replicaSetUID: REPLICA_SET });
    const { decision } = decidedAt(1, { ...facts, replicaSet: replicaSetOf() });
    expect(decision.status?.outcome).toMatchObject({ phase: 'Failed', reason: 'SourceLost' });
  });

  test('gives the shadow its shape by the pod that is made in its place', () => {
    const lost = statusAt('CreateShadow', { sourceLost: true });
    expect(decidedAt(1, seen(lost))).toMatchObject({
      action: '-',
      message: 'waiting for the StatefulSet to make pod consumer-0: its shadow is made like it',
    });
    const { action } = decidedAt(1, seen(lost, { named: BLANK })).decision;
    expect(action).toMatchObject({ type: 'createShadow', source: { metadata: { uid: 'blank' } } });
  });

  test('is waited for while it may still run, and never deleted by force', () => {
    const lost = statusAt('AwaitEnd', { sourceLost: true }, { unheld: SOURCE });
    const ending = seen(lost, { named: source({ ending: true }) });
    expect(decidedAt(1_000_000, ending)).toMatchObject({ step: 'AwaitEnd', action: '-' });
  });

  test('is followed by a pod that may have started before the queue was held: that one is deleted', () => {
    const lost = statusAt('AwaitEnd', { sourceLost: true });
    const { decision } = decidedAt(1, seen(lost, { named: BLANK }));
    expect(decision.action).toMatchObject({ type: 'deletePod', pod: { metadata: { uid: 'blank' } } });
    expect(decision.status?.handover?.unheld).toBe('blank');
    const later = seen(decision.status ?? lost, { named: podOf({ uid: 'later' }) });
    expect(decidedAt(2, later).decision.action).toMatchObject({
      type: 'send',
      queue: MIRROR,
      command: { type: 'pause', pod: SHADOW },
    });
  });

  test('may have a connection still: the mark waits until nobody consumes the queue', () => {
    const lost = statusAt('MarkMirror', { sourceLost: true });
    const broker = brokerWith(reportFrom(SHADOW, { mode: 'following' }));
    expect(decidedAt(1, seen(lost, { broker }))).toMatchObject({
      action: '-',
      message: 'waiting for the consumer of queue orders-0 to end',
    });
  });

  test('has handed over at the mark: it is the cut', () => {
    const lost = statusAt('MarkMirror', { sourceLost: true });
    const handled = { migration: MIGRATION_UID, epoch: 1, step: 2 ** 52 };
    const stopped = reportFrom(SHADOW, { mode: 'paused', digest: 'd', watermarks: { till: 9 }, handled });
    const broker = { ...brokerWith(stopped), primary: { ready: 4, consumers: 0 } };
    const { status } = decidedAt(1, seen(lost, { broker })).decision;
    expect(status).toMatchObject({
      step: 'TakeOver',
      handedOver: true,
      handover: { committed: true, cut: { watermarks: { till: 9 }, digest: 'd', targetDigest: 'd' } },
    });
  });

  test('cannot go on: an abort is refused, and a template that is edited changes nothing', () => {
    const lost = statusAt('ApplyMirror', { sourceLost: true });
    const { decision, events } = decidedAt(1, seen(lost, { spec: { abort: true } }));
    expect(decision.status).not.toHaveProperty('outcome');
    expect(events).toContain('Warning AbortRefused');
    expect(decision.status?.conditions).toContainEqual(
      expect.objectContaining({ type: 'AbortRefused', status: 'True', reason: 'SourceLost' }),
    );
  });

  test('and a target that is lost, too: the state is lost, and it is said', () => {
    const lost = statusAt('ApplyMirror', { sourceLost: true });
    const { shadow: _gone, ...without } = seen(lost);
    const { status } = decidedAt(1, without).decision;
    expect(status?.outcome).toMatchObject({
      phase: 'Failed',
      reason: 'TargetLost',
      message: expect.stringContaining('the source pod is gone, too'),
    });
  });
});

test('MIG-43 a source whose process is started again after its snapshot is deleted, and the target takes over', () => {
  const again = [reportFrom(SHADOW, { mode: 'following' }), reportFrom(SOURCE, { instance: 'again' })];
  const facts = { named: source(), broker: brokerWith(...again) };
  const first = decidedAt(1, seen(statusAt('CatchUp'), facts));
  expect(first.events).toContain('Warning SourceRestarted');
  expect(first.decision.status).toMatchObject({ step: 'ApplyMirror', sourceLost: true });
  const end = { ...first.decision.status, handedOver: false, step: 'AwaitEnd' };
  expect(decidedAt(2, seen(end, facts)).decision.action).toMatchObject({
    type: 'deletePod',
    pod: { metadata: { uid: SOURCE } },
  });
});
