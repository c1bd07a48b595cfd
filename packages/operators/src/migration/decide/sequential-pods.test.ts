import type { appsv1, Stored } from '@kubewright/kube';
import { describe, expect, test } from 'vitest';
import { EPOCH_ANNOTATION, type MigrationStatus } from '../api.ts';
import { templateName, templateRevision } from '../pods/template-revision.ts';
import {
  ALL_WELL,
  brokerWith,
  decidedAt,
  marked,
  migrationOf,
  NEW,
  type PodFacts,
  podOf,
  REPLICA_SET,
  replicaSetOf,
  reportFrom,
  SNAPSHOT,
  SOURCE,
} from '../testing/migration-bench.ts';
import type { LivePod, ObservedMigration } from './observed-migration.ts';

// The source ends before its successor starts, and no StatefulSet makes the successor.

const TEMPLATE = 'template-uid';
const SPEC = { migrationStrategy: 'Sequential' };
const MIGRATION = migrationOf(SPEC);
const BEFORE: ReadonlySet<string> = new Set(['Lock', 'KeepTemplate', 'Stop', 'DeclareSnapshot', 'Snapshot']);

type Handover = NonNullable<MigrationStatus['handover']>;
type Template = Stored<appsv1.ControllerRevision>;

const lone = (facts: PodFacts = {}): LivePod => podOf({ owner: 'nobody', ...facts });
const source = (facts: PodFacts = {}): LivePod => lone({ labels: marked('source'), ...facts });
const successor = (epoch: number, facts: PodFacts = {}): LivePod =>
  lone({
    uid: NEW,
    labels: marked('restored'),
    annotations: { [EPOCH_ANNOTATION]: String(epoch) },
    ...facts,
  });

function templateOf(pod: LivePod, uid: string = TEMPLATE): Template {
  const { metadata, ...revision } = templateRevision(MIGRATION, pod);
  return { ...revision, metadata: { ...metadata, name: templateName(MIGRATION), uid, resourceVersion: '1' } };
}

function statusAt(step: string, handover: Partial<Handover> = {}): MigrationStatus {
  const isTaken = !BEFORE.has(step);
  return {
    handedOver: isTaken,
    phase: 'Restoring',
    strategy: 'Sequential',
    backend: 'Snapshot',
    containerName: 'main',
    sourcePodUID: SOURCE,
    ...(step !== 'KeepTemplate' && { templateUID: TEMPLATE }),
    step,
    stepTime: '2026-01-01T00:00:00Z',
    handover: {
      epoch: 1,
      from: { pod: 'consumer-0', uid: SOURCE, instance: `${SOURCE}-1` },
      to: { pod: 'consumer-0' },
      mirror: 'orders-0.mig',
      committed: false,
      ...(isTaken && { snapshot: SNAPSHOT, snapshotDigest: 'd' }),
      ...handover,
    },
  };
}

type Facts = Partial<Pick<ObservedMigration, 'named' | 'template' | 'broker'>> & { readonly abort?: boolean };

/** `named` absent: nobody has the name of the source. */
function seen(status: MigrationStatus, { abort = false, ...facts }: Facts = {}): ObservedMigration {
  const { named: _source, set: _set, ...rest } = ALL_WELL;
  return { ...rest, migration: migrationOf({ ...SPEC, abort }, status), ...facts };
}

describe('the template of a pod that nobody controls', () => {
  test('is kept before the source stops', () => {
    const { set: _set, ...observed } = ALL_WELL;
    const { decision } = decidedAt(0, { ...observed, migration: MIGRATION, named: lone() });
    expect(decision.status).toMatchObject({ step: 'Lock', strategy: 'Sequential' });
    expect(decision.status).not.toHaveProperty('targetPod');
    expect(decidedAt(1, seen(statusAt('KeepTemplate'), { named: source() })).action).toBe('keepTemplate');
  });

  test('is on record when it is that of the source', () => {
    const facts = { named: source(), template: templateOf(source()) };
    const { decision, step, action } = decidedAt(1, seen(statusAt('KeepTemplate'), facts));
    expect({ step, action }).toEqual({ step: 'DeclareSnapshot', action: 'storeQueues' });
    expect(decision.status).toMatchObject({ templateUID: TEMPLATE, handedOver: false });
  });

  test('that somebody else has put there is deleted', () => {
    const other = templateOf(source({ spec: { serviceAccountName: 'admin' } }));
    const { action } = decidedAt(1, seen(statusAt('KeepTemplate'), { named: source(), template: other }));
    expect(action).toBe('deleteTemplate');
  });

  test('that cannot be kept in time stops nothing: the source goes on', () => {
    const { step, decision } = decidedAt(601, seen(statusAt('KeepTemplate'), { named: source() }));
    expect(step).toBe('UndoSource');
    expect(decision.status?.outcome?.reason).toBe('DeadlineExceeded');
  });

  test.each([
    [
      'when the successor has the state',
      'DeleteShadow',
      { committed: true, to: { pod: 'consumer-0', uid: NEW } },
    ],
    ['when all is undone', 'UndoShadow', {}],
  ])('goes %s', (_when, step, handover) => {
    const named = step === 'UndoShadow' ? source() : successor(1);
    const status = { ...statusAt(step, handover), ...(step === 'UndoShadow' && UNDONE) };
    const facts = { named, template: templateOf(source()) };
    expect(decidedAt(1, seen(status, facts)).action).toBe('deleteTemplate');
  });
});

const UNDONE = {
  handedOver: false,
  outcome: { phase: 'Aborted', reason: 'AbortRequested', message: 'spec.abort is true' },
} as const;

describe('the pod that takes over from one that nobody controls', () => {
  const template = templateOf(source());
  const at = (facts: Facts = {}, handover: Partial<Handover> = {}) =>
    decidedAt(5, seen(statusAt('ReplaceSource', handover), { template, ...facts }));

  test('is made when the source is gone, by its UID, and not before', () => {
    expect(at({ named: source() })).toMatchObject({ action: 'deletePod', events: [] });
    expect(at({ named: source({ ending: true }) })).toMatchObject({
      action: '-',
      message: 'waiting for pod consumer-0 to end',
    });
    expect(at().action).toBe('createSuccessor');
  });

  test('is never made from a template that is not on record', () => {
    const message =
      'ControllerRevision ms2m-f0e1d2c3-0000-4000-8000-000000000001 is gone, and nobody else knows the template of the pod';
    expect(at({ template: templateOf(source(), 'other') })).toMatchObject({ action: '-', message });
  });

  test('is the one that was made for this attempt', () => {
    expect(at({ named: successor(1) })).toMatchObject({ step: 'Restore' });
    const AGAIN = { epoch: 2 };
    expect(at({ named: successor(1) }, AGAIN)).toMatchObject({ action: 'deletePod', events: [] });
  });

  test('takes its name from one that somebody has made, which has no state', () => {
    expect(at({ named: lone({ uid: 'blank' }) })).toMatchObject({
      action: 'deletePod',
      events: ['Warning BlankPodReplaced'],
    });
  });

  test('waits for a pod of another controller that has its name', () => {
    expect(at({ named: podOf({ uid: 'other' }) })).toMatchObject({
      action: '-',
      message: 'the name of pod consumer-0 is taken by one of a StatefulSet: waiting for it to end',
    });
  });

  test('is made once more when it is gone: the state is kept', () => {
    const status = statusAt('Restore', { to: { pod: 'consumer-0', uid: NEW } });
    const { decision, events } = decidedAt(5, seen(status, { template }));
    expect(events).toContain('Warning TargetLost');
    expect(decision.status?.handover).toMatchObject({ epoch: 2, to: { pod: 'consumer-0' } });
    expect(decision.status?.outcome).toBeUndefined();
  });

  test('keeps its queues, and is not deleted, when it was started again and has lost the state: nobody would make another one', () => {
    const to = { pod: 'consumer-0', uid: NEW, instance: 'before' };
    const facts = { named: successor(1), broker: brokerWith(reportFrom(NEW)) };
    const lost = decidedAt(5, seen(statusAt('TakeOver', { committed: true, to }), facts));
    expect(lost.decision.status?.outcome?.reason).toBe('RestoredPodRestarted');
    const status = lost.decision.status as MigrationStatus;
    expect(lost.decision.action).toMatchObject({ type: 'deleteQueues' });
    expect(JSON.stringify(lost.decision.action)).not.toContain(`ms2m.status.${NEW}`);
    const over: MigrationStatus = { ...status, phase: 'Failed' };
    expect(decidedAt(9, seen(over, facts)).action).toBe('-');
  });

  test('gets the command to go on without the state when it was started again before it took over: nobody else would', () => {
    const to = { pod: 'consumer-0', uid: NEW, instance: 'before' };
    const paused = { named: successor(1), broker: brokerWith(reportFrom(NEW, { mode: 'paused' })) };
    const lost = decidedAt(5, seen(statusAt('TakeOver', { committed: true, to }), paused));
    expect(lost.decision.status?.outcome?.reason).toBe('RestoredPodRestarted');
    expect(lost.decision.action).toMatchObject({
      type: 'send',
      queue: `ms2m.control.${NEW}`,
      // Behind the command to take over, which the new process may read first, and does not obey.
      command: { type: 'resume', step: 2 ** 52 + 2 },
    });
    expect(lost.decision.action).not.toHaveProperty('command.instance');
    const status = lost.decision.status as MigrationStatus;
    const going = { named: successor(1), broker: brokerWith(reportFrom(NEW, { mode: 'running' })) };
    expect(decidedAt(6, seen(status, going)).decision.action).toMatchObject({ type: 'deleteQueues' });
  });

  test('is not one that comes from an operator that leads no more, after the end', () => {
    const over: MigrationStatus = {
      ...statusAt('Confirm', { committed: true, to: { pod: 'consumer-0', uid: NEW } }),
      phase: 'Completed',
    };
    expect(decidedAt(9, seen(over, { named: successor(1, { uid: 'late' }) })).action).toBe('deletePod');
    expect(decidedAt(9, seen(over, { named: successor(1) })).action).toBe('-');
  });

  test('comes although somebody aborts: the source has ended', () => {
    expect(at({ named: source(), abort: true })).toMatchObject({
      action: 'deletePod',
      events: ['Warning AbortRefused'],
    });
  });
});

describe('the pod that takes over from one of a ReplicaSet', () => {
  const owner = { kind: 'ReplicaSet', uid: REPLICA_SET };
  const ofReplicas = (step: string, handover: Partial<Handover>, facts: Partial<ObservedMigration>) => {
    const { templateUID: _none, ...status } = statusAt(step, handover);
    const more = { replicaSetUID: REPLICA_SET, replicaSetName: 'consumer-5d8f' };
    return { ...seen({ ...status, ...more }), replicaSet: replicaSetOf(), ...facts };
  };
  const made = (epoch: number, uid: string = NEW): LivePod =>
    successor(epoch, { uid, name: `consumer-${uid}`, owner });
  const at = (facts: Partial<ObservedMigration>) => decidedAt(5, ofReplicas('ReplaceSource', {}, facts));

  test('is not made by the operator, which keeps no template', () => {
    const { set: _set, ...observed } = ALL_WELL;
    const facts = { migration: MIGRATION, named: podOf({ owner }), replicaSet: replicaSetOf() };
    expect(decidedAt(0, { ...observed, ...facts }).step).toBe('Lock');
    const named = podOf({ owner, labels: marked('source') });
    const { step, action } = decidedAt(1, ofReplicas('Stop', {}, { named }));
    expect({ step, action }).toEqual({ step: 'Stop', action: 'send' });
    expect(at({})).toMatchObject({
      action: '-',
      message: 'waiting for ReplicaSet consumer-5d8f to make a pod in the place of consumer-0',
    });
  });

  test('is on record with its own name', () => {
    expect(at({ named: podOf({ owner, labels: marked('source') }) })).toMatchObject({
      action: 'deletePod',
      events: [],
    });
    const { decision, step } = at({ named: made(1), surplus: [made(1, 'other')] });
    expect(step).toBe('Restore');
    expect(decision.status).toMatchObject({
      replacementPod: `consumer-${NEW}`,
      handover: { to: { pod: `consumer-${NEW}`, uid: NEW } },
    });
  });

  test('is made once more where the webhook was not called', () => {
    expect(at({ named: podOf({ uid: 'blank', name: 'consumer-blank', owner }) })).toMatchObject({
      action: 'deletePod',
      events: ['Warning BlankPodReplaced'],
    });
  });

  test('is the only one in the end: another one that waits for the state is deleted, and the source has ended', () => {
    const to = { pod: `consumer-${NEW}`, uid: NEW };
    const gone = (facts: Partial<ObservedMigration>) =>
      decidedAt(5, ofReplicas('DeleteShadow', { committed: true, to }, { named: made(1), ...facts }));
    const { decision } = gone({ surplus: [made(1, 'other')] });
    expect(decision.action).toMatchObject({ type: 'deletePod', pod: { metadata: { uid: 'other' } } });
    expect(gone({ leaving: podOf({ ending: true }) })).toMatchObject({
      action: '-',
      message: 'waiting for pod consumer-0 to end',
    });
    const over = { ...statusAt('Confirm', { committed: true, to }), phase: 'Completed' as const };
    const late = { ...seen(over), named: made(1), surplus: [made(1, 'late')] };
    expect(decidedAt(9, late).decision.action).toMatchObject({ pod: { metadata: { uid: 'late' } } });
  });

  test.each([
    ['wants no pods any more', replicaSetOf({ replicas: 0 }), 'ReplicaSetScaledDown'],
    ['is gone', undefined, 'ReplicaSetGone'],
  ])('is deleted when the ReplicaSet %s, once that is on record', (_what, replicaSet, reason) => {
    const { replicaSet: _none, ...observed } = ofReplicas('ReplaceSource', {}, { named: made(1) });
    const { decision, step, action } = decidedAt(5, { ...observed, ...(replicaSet && { replicaSet }) });
    expect({ step, action }).toEqual({ step: 'UndoReplacement', action: 'deletePod' });
    expect(decision.status?.outcome).toMatchObject({ phase: 'Failed', reason });
  });
});

describe('a ReplicaSet whose pod is to end first', () => {
  const { set: _set, ...observed } = ALL_WELL;
  const named = (spec: PodFacts['spec'] = {}) =>
    podOf({ owner: { kind: 'ReplicaSet', uid: REPLICA_SET }, spec });
  const replicaSet = replicaSetOf({ replicas: 2 }, { replicas: 2, readyReplicas: 2 });
  const claims = { volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }] };

  test.each([
    ['StrategyNotSupported', { ...observed, migration: MIGRATION, named: named(), replicaSet }],
    ['VolumesNotSupported', { ...observed, migration: migrationOf(), named: named(claims), replicaSet }],
  ])('has no other pod: %s', (reason, facts) => {
    expect(decidedAt(0, facts)).toMatchObject({ phase: 'Rejected', why: reason });
    expect(decidedAt(0, { ...facts, replicaSet: replicaSetOf() })).toMatchObject({ step: 'Lock' });
  });
});
