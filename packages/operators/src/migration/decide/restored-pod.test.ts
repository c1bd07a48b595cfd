import { describe, expect, test } from 'vitest';
import { EPOCH_ANNOTATION, type Handover, type MigrationStatus } from '../api.ts';
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
  timeAt,
} from '../testing/migration-bench.ts';
import type { LivePod, ObservedMigration } from './observed-migration.ts';

const RESTORED = 'restored-uid';
/** When the shadow stopped, and the pod had all of its state. */
const CUT = timeAt(10);

const handover: Handover = {
  epoch: 2,
  from: { pod: 'consumer-0-shadow', uid: SHADOW, instance: `${SHADOW}-1` },
  to: { pod: 'consumer-0', uid: RESTORED, instance: `${RESTORED}-1` },
  mirror: 'orders-0.mig.f0e1d2c3.2',
  cut: { watermarks: {}, digest: 'a', targetDigest: 'a', time: CUT },
  committed: true,
};

/** After the state was handed over to the StatefulSet's pod. */
function statusAt(step: string, more: Partial<MigrationStatus> = {}): MigrationStatus {
  const { status } = decidedAt(0, ALL_WELL).decision;
  return { ...status, handedOver: true, containerName: 'main', handover, step, ...more };
}

type Container = NonNullable<NonNullable<LivePod['status']>['containerStatuses']>[number];

function restored(container: Partial<Container> = {}): LivePod {
  const pod = podOf({
    uid: RESTORED,
    labels: marked('restored'),
    annotations: { [EPOCH_ANNOTATION]: '2' },
    spec: { nodeName: 'b' },
  });
  const facts = { name: 'main', ready: true, restartCount: 0, image: 'consumer', imageID: 'consumer' };
  return { ...pod, status: { ...pod.status, containerStatuses: [{ ...facts, ...container }] } };
}

function seen(status: MigrationStatus, named: LivePod, instance = `${RESTORED}-1`): ObservedMigration {
  const shadow = podOf({
    uid: SHADOW,
    labels: marked('shadow'),
  });
  const broker = brokerWith(
    reportFrom(SHADOW, { mode: 'paused' }),
    reportFrom(RESTORED, {
      instance,
      handled: { migration: MIGRATION_UID, epoch: 2, step: Number.MAX_SAFE_INTEGER },
    }),
  );
  return { ...ALL_WELL, migration: migrationOf({}, status), named, shadow, broker };
}

const RESTARTED = { restartCount: 1, state: { running: { startedAt: timeAt(11) } } };

describe.each(['TakeOver', 'DeleteQueues', 'DeleteShadow', 'Verify', 'Confirm'])(
  'the pod that took over, in step %s',
  (step) => {
    test('MIG-48 has lost its state when its process was started again: no migration completes without it', () => {
      const { decision } = decidedAt(12, seen(statusAt(step), restored(), 'again'));
      expect(decision.status?.outcome).toMatchObject({ phase: 'Failed', reason: 'RestoredPodRestarted' });
      expect(decision.action).toMatchObject({ type: 'deletePod', pod: { metadata: { uid: RESTORED } } });
    });

    test.each<readonly [string, Partial<Container>]>([
      ['was started again', RESTARTED],
      ['has ended', { state: { terminated: { exitCode: 1, finishedAt: timeAt(11) } } }],
      [
        'has ended, and waits to be started',
        { lastState: { terminated: { exitCode: 1, finishedAt: timeAt(11) } } },
      ],
    ])('MIG-48 also when its container %s, and it has not reported yet', (_how, container) => {
      const { decision } = decidedAt(12, seen(statusAt(step), restored(container)));
      expect(decision.status?.outcome).toMatchObject({ reason: 'RestoredPodRestarted' });
    });

    test('is as it was when its container was restarted only before the cut', () => {
      const before = { restartCount: 1, state: { running: { startedAt: timeAt(9) } } };
      expect(decidedAt(12, seen(statusAt(step), restored(before))).decision.status?.outcome).toBeUndefined();
    });
  },
);

test('MIG-48 the pod that took over has responded before the last queues are deleted: what becomes of it then is no part of the migration', () => {
  const observed = seen(statusAt('DeletePodQueues'), restored(RESTARTED), 'again');
  const { decision } = decidedAt(12, observed);
  expect(decision).toMatchObject({ action: { type: 'deleteQueues' } });
  expect(decision.status).not.toHaveProperty('outcome');
  // A process that waited for that queue is asked first: it looks again then.
  const away = { ...observed, broker: { type: 'unavailable', message: 'reset' } as const };
  expect(decidedAt(12, away, ['DeletePodQueues'])).toMatchObject({ step: 'DeletePodQueues', action: '-' });
  expect(decidedAt(12, observed, ['DeletePodQueues'])).toMatchObject({ phase: 'Completed' });
});

describe('a migration that is completed', () => {
  const completed = statusAt('Verify', { phase: 'Completed' });

  test.each([
    ['', RESTARTED],
    [', be it in the second of the cut', { ...RESTARTED, state: { running: { startedAt: CUT } } }],
  ])(
    'MIG-48 deletes the pod that took over once its container is restarted in place%s',
    (_when, container) => {
      expect(decidedAt(99, seen(completed, restored(container)))).toMatchObject({
        action: 'deletePod',
        events: ['Warning RestoredPodRestarted'],
      });
    },
  );

  test.each<readonly [string, LivePod]>([
    ['it runs', restored()],
    [
      'it was restarted before it had the state',
      restored({ ...RESTARTED, state: { running: { startedAt: timeAt(9) } } }),
    ],
    ['another container was restarted', restored({ ...RESTARTED, name: 'sidecar' })],
    ['its StatefulSet has replaced it', { ...restored(RESTARTED), metadata: podOf().metadata }],
  ])('leaves the pod alone when %s', (_why, named) => {
    expect(decidedAt(99, seen(completed, named))).toMatchObject({ action: '-', events: [] });
  });
});

describe('MIG-46 a pod that the webhook has wait for a state', () => {
  const outcome = { phase: 'Failed', reason: 'StateLost', message: 'gone' } as const;

  test('is looked for once the outcome is on record: until then, it may be made at any moment', () => {
    const { named: _none, shadow: _gone, ...alone } = seen(statusAt('Restore'), restored());
    const lost = decidedAt(12, alone);
    expect(lost).toMatchObject({ step: 'UndoReplacement', action: '-' });
    expect(lost.decision.status?.outcome).toMatchObject({ reason: 'StateLost' });
    const migration = migrationOf({}, lost.decision.status);
    expect(decidedAt(13, { ...alone, migration })).toMatchObject({ step: 'UndoQueues' });
    expect(decidedAt(13, { ...alone, migration, named: restored() })).toMatchObject({ action: 'deletePod' });
  });

  test.each(['Failed', 'Aborted'] as const)(
    'is deleted also when it is made after the migration is %s: its StatefulSet makes an ordinary one',
    (phase) => {
      const over = statusAt('UndoLock', { phase, outcome: { ...outcome, phase } });
      expect(decidedAt(99, seen(over, restored()))).toMatchObject({
        action: 'deletePod',
        events: ['Warning BlankPodReplaced'],
      });
      expect(decidedAt(99, seen(over, podOf()))).toMatchObject({ action: '-', events: [] });
    },
  );
});

test('MIG-46 the state is lost as soon as the pod that takes over is being deleted: our finalizer may keep it for ever', () => {
  const pod = restored();
  const ending = { ...pod, metadata: { ...pod.metadata, deletionTimestamp: timeAt(11) } };
  const { decision } = decidedAt(12, seen(statusAt('TakeOver'), ending));
  expect(decision.status?.outcome).toMatchObject({ reason: 'StateLost' });
});

test('MIG-13 what a broker says at each further attempt changes no status', () => {
  const away = (message: string, status: MigrationStatus) => ({
    ...seen(status, restored()),
    broker: { type: 'unavailable', message } as const,
  });
  const first = decidedAt(12, away('connection refused', statusAt('TakeOver'))).decision.status;
  if (first === undefined) throw new TypeError('no status');
  expect(first.message).toBe('the broker is unavailable: connection refused');
  expect(decidedAt(13, away('no answer in time', first)).decision.status).toEqual(first);
});

test('MIG-48 a pod that was made to wait as the migration was completed is replaced; the one that took over is not', () => {
  const over = { ...statusAt('DeletePodQueues'), phase: 'Completed', completionTime: CUT } as const;
  const pod = restored();
  const late = { ...pod, metadata: { ...pod.metadata, uid: 'late-uid' } };
  expect(decidedAt(20, seen(over, late))).toMatchObject({
    action: 'deletePod',
    events: ['Warning BlankPodReplaced'],
  });
  expect(decidedAt(20, seen(over, pod)).action).toBe('-');
});
