import { describe, expect, test } from 'vitest';
import { COST_BEFORE, DELETION_COST, LEAST_COST, type MigrationStatus } from '../api.ts';
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
  SOURCE,
  timeAt,
} from '../testing/migration-bench.ts';
import type { ObservedMigration } from './observed-migration.ts';

const OWNED = { kind: 'ReplicaSet', uid: REPLICA_SET };
const CHEAPEST = { [DELETION_COST]: LEAST_COST, [COST_BEFORE]: '' };
const ofMigration = { kind: 'StatefulMigration', uid: MIGRATION_UID };

const source = (facts: PodFacts = {}) =>
  podOf({ name: 'web-x', owner: OWNED, labels: marked('source'), ready: false, ...facts });
const shadow = (facts: PodFacts = {}) =>
  podOf({
    uid: SHADOW,
    name: 'web-x-shadow',
    owner: ofMigration,
    labels: marked('shadow'),
    ready: false,
    ...facts,
  });
/** Without `set` of the bench. */
const { set: _set, ...REST } = ALL_WELL;
const ofDeployment: ObservedMigration = { ...REST, named: source(), replicaSet: replicaSetOf() };

/** The source has handed its state over to the shadow, which has not been told to go on. */
function adopting(more: Partial<MigrationStatus> = {}): MigrationStatus {
  const { status } = decidedAt(0, {
    ...REST,
    migration: migrationOf({ sourcePod: 'web-x' }),
    named: podOf({ name: 'web-x', owner: OWNED }),
    replicaSet: replicaSetOf(),
  }).decision;
  return {
    ...status,
    handedOver: true,
    step: 'AdoptShadow',
    stepTime: timeAt(0),
    handover: {
      epoch: 1,
      from: { pod: 'web-x', uid: SOURCE, instance: `${SOURCE}-1` },
      to: { pod: 'web-x-shadow', uid: SHADOW, instance: `${SHADOW}-1` },
      mirror: 'orders-0.mig.f0e1d2c3.1',
      cut: { watermarks: {}, digest: 'a', targetDigest: 'a', time: timeAt(0) },
      committed: true,
    },
    ...more,
  };
}

function seen(facts: Partial<ObservedMigration>, status = adopting()): ObservedMigration {
  const broker = brokerWith(reportFrom(SOURCE, { mode: 'paused' }), reportFrom(SHADOW, { mode: 'paused' }));
  const migration = migrationOf({ sourcePod: 'web-x' }, status);
  return { ...ofDeployment, migration, broker, shadow: shadow(), ...facts };
}

test('MIG-6 what is recorded of a Deployment’s pod: its ReplicaSet, and no StatefulSet', () => {
  expect(adopting()).toMatchObject({
    replicaSetName: 'consumer-5d8f',
    replicaSetUID: REPLICA_SET,
    deploymentName: 'consumer',
    targetPod: 'web-x-shadow',
  });
  expect(adopting()).not.toHaveProperty('statefulSetName');
});

describe('MIG-6 a shadow that its ReplicaSet is to adopt', () => {
  test('is given away only when the source is the cheapest', () => {
    expect(decidedAt(1, seen({}))).toMatchObject({ action: 'cheapen' });
    const cheap = source({ annotations: CHEAPEST });
    expect(decidedAt(1, seen({ named: cheap }))).toMatchObject({ action: 'release' });
  });

  test('is given away only when it is as ready as the source, which would outlive it', () => {
    const ready = { named: source({ annotations: CHEAPEST, ready: true }) };
    expect(decidedAt(1, seen(ready))).toMatchObject({ step: 'AdoptShadow', action: '-', requeueAfter: 200 });
    expect(decidedAt(61, seen(ready))).toMatchObject({ action: 'release' });
    expect(decidedAt(1, seen({ ...ready, shadow: shadow({ ready: true }) }))).toMatchObject({
      action: 'release',
    });
  });

  test('waits until the source is on its way out, then takes over', () => {
    const adopted = { shadow: shadow({ owner: OWNED }) };
    const named = source({ annotations: CHEAPEST });
    expect(decidedAt(1, seen({ ...adopted, named }))).toMatchObject({ step: 'AdoptShadow', action: '-' });
    const ending = source({ annotations: CHEAPEST, ending: true });
    const { decision } = decidedAt(1, seen({ ...adopted, named: ending }));
    expect(decision.action).toMatchObject({
      type: 'send',
      queue: `ms2m.control.${SHADOW}`,
      command: { type: 'resume', release: true },
    });
    // Somebody has scaled up: the source is not one too many. It goes nevertheless.
    expect(decidedAt(61, seen({ ...adopted, named }))).toMatchObject({ step: 'TakeOver', action: 'send' });
    const later = seen({ ...adopted, named }, adopting({ step: 'RemoveSource' }));
    expect(decidedAt(62, later).decision.action).toMatchObject({
      type: 'deletePod',
      pod: { metadata: { uid: SOURCE } },
    });
  });

  test('is deleted in place of the source: the source, which stands where it does, goes on', () => {
    const chosen = {
      named: source({ annotations: CHEAPEST }),
      shadow: shadow({ owner: OWNED, ending: true }),
    };
    const { decision, step } = decidedAt(1, seen(chosen));
    expect(decision.status?.outcome).toMatchObject({ phase: 'Failed', reason: 'TargetLost' });
    expect(step).toBe('UndoSource');
    expect(decision.action).toMatchObject({ queue: `ms2m.control.${SOURCE}`, command: { type: 'resume' } });
  });

  test('is deleted after it took over: the state is lost, and it is said', () => {
    const gone = { named: source({ ending: true }), shadow: shadow({ owner: OWNED, ending: true }) };
    const { decision } = decidedAt(1, seen(gone, adopting({ step: 'TakeOver' })));
    expect(decision.status?.outcome).toMatchObject({ phase: 'Failed', reason: 'StateLost' });
  });

  test('MIG-56 MIG-57 is not wanted any more: scaled to zero, or deleted, its owner wins', () => {
    const scaled = decidedAt(1, seen({ replicaSet: replicaSetOf({ replicas: 0 }) }));
    expect(scaled.decision.status?.outcome).toMatchObject({ reason: 'ReplicaSetScaledDown' });
    const { replicaSet: _gone, ...without } = seen({});
    expect(decidedAt(1, without).decision.status?.outcome).toMatchObject({ reason: 'ReplicaSetGone' });
  });
});

describe('MIG-6 a shadow that has taken over', () => {
  const verifying = (facts: PodFacts): ObservedMigration => {
    const { named: _gone, ...rest } = seen(
      { shadow: shadow({ owner: OWNED, ready: true, ...facts }) },
      adopting({ step: 'Verify' }),
    );
    return rest;
  };

  test('is nobody’s shadow any more, and the migration is completed when its process has responded since', () => {
    expect(decidedAt(1, verifying({}))).toMatchObject({ action: 'settle' });
    const settled = verifying({ labels: marked('restored') });
    expect(decidedAt(1, settled)).toMatchObject({ step: 'Confirm', action: 'send' });
    const handled = { migration: MIGRATION_UID, epoch: 1, step: Number.MAX_SAFE_INTEGER };
    const broker = brokerWith(reportFrom(SHADOW, { handled }));
    const confirmed = { ...settled, broker };
    expect(decidedAt(1, confirmed)).toMatchObject({ step: 'DeletePodQueues', action: 'deleteQueues' });
    expect(decidedAt(1, confirmed, ['DeletePodQueues'])).toMatchObject({
      phase: 'Completed',
      message: 'the ReplicaSet owns pod web-x-shadow, which has the state',
    });
  });

  test('MIG-48 is deleted once its container is restarted in place: its ReplicaSet creates another one', () => {
    const pod = shadow({ owner: OWNED, labels: marked('restored') });
    const restart = { restartCount: 1, state: { running: { startedAt: timeAt(9) } } };
    const container = { name: 'main', ready: true, image: 'i', imageID: 'i', ...restart };
    const restarted = { ...pod, status: { ...pod.status, containerStatuses: [container] } };
    const { named: _gone, ...rest } = seen({ shadow: restarted }, adopting({ phase: 'Completed' }));
    expect(decidedAt(99, rest)).toMatchObject({
      action: 'deletePod',
      events: ['Warning RestoredPodRestarted'],
    });
    // Nobody would create another one.
    const lone = { ...restarted, metadata: { ...restarted.metadata, ownerReferences: [] } };
    expect(decidedAt(99, { ...rest, shadow: lone })).toMatchObject({ action: '-' });
  });
});

describe('MIG-7 the shadow of a pod that nobody controls', () => {
  const { replicaSetUID: _uid, replicaSetName: _name, deploymentName: _deployment, ...bare } = adopting();
  const { replicaSet: _none, ...ofNobody } = seen({ named: source({ owner: 'nobody' }) }, bare);

  test('is released at once, and the source is deleted when it has taken over', () => {
    expect(decidedAt(1, ofNobody)).toMatchObject({ action: 'release' });
    const released = { ...ofNobody, shadow: shadow({ owner: 'nobody' }) };
    expect(decidedAt(1, released)).toMatchObject({ step: 'TakeOver', action: 'send' });
    const status = { ...bare, step: 'RemoveSource' };
    const migration = migrationOf({ sourcePod: 'web-x' }, status);
    expect(decidedAt(1, { ...released, migration })).toMatchObject({ action: 'deletePod' });
  });

  test('that is restarted when the source is gone stays, without the state: nobody would make another one', () => {
    const outcome = { phase: 'Failed', reason: 'StateLost', message: 'gone' } as const;
    const status = { ...bare, step: 'UndoShadow', outcome };
    const migration = migrationOf({ sourcePod: 'web-x' }, status);
    const { named: _gone, ...alone } = { ...ofNobody, migration, shadow: shadow({ owner: 'nobody' }) };
    expect(decidedAt(1, alone)).toMatchObject({ action: 'settle' });
    const { decision } = decidedAt(1, {
      ...alone,
      shadow: shadow({ owner: 'nobody', labels: marked('restored') }),
    });
    expect(decision.action).toMatchObject({ type: 'deleteQueues' });
    expect(decision.action).not.toMatchObject({
      queues: expect.arrayContaining([`ms2m.control.${SHADOW}`]),
    });
  });
});
