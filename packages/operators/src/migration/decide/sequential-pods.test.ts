import type { appsv1, Stored } from '@kubewright/kube';
import { describe, expect, test } from 'vitest';
import { EPOCH_ANNOTATION, LABELS, type MigrationStatus, ROLES } from '../api.ts';
import { templateName, templateRevision } from '../pods/template-revision.ts';
import {
  ALL_WELL,
  brokerWith,
  decidedAt,
  migrationOf,
  type PodFacts,
  podOf,
  reportFrom,
  SOURCE,
} from '../testing/migration-bench.ts';
import type { LivePod, ObservedMigration } from './observed-migration.ts';

// The source ends before its successor starts, and no StatefulSet makes the successor.

const NEW = 'new-uid';
const TEMPLATE = 'template-uid';
const SPEC = { migrationStrategy: 'Sequential' };
const MIGRATION = migrationOf(SPEC);
const { uid: UID } = MIGRATION.metadata;
const SNAPSHOT = { queue: 'snapshot', chunks: 1, bytes: 2, sha256: 'a' };
const BEFORE: ReadonlySet<string> = new Set(['Lock', 'KeepTemplate', 'Stop', 'DeclareSnapshot', 'Snapshot']);

type Handover = NonNullable<MigrationStatus['handover']>;
type Template = Stored<appsv1.ControllerRevision>;

const marked = (role: keyof typeof ROLES) => ({ [LABELS.migration]: UID, [LABELS.role]: ROLES[role] });
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
    expect({ step, action }).toEqual({ step: 'Stop', action: 'send' });
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
