import { describe, expect, test } from 'vitest';
import type { MigrationStatus } from '../api.ts';
import {
  ALL_WELL,
  brokerWith,
  decidedAt,
  marked,
  migrationOf,
  NEW,
  podOf,
  reportFrom,
  SHADOW,
  SNAPSHOT,
  SOURCE,
  timeAt,
} from '../testing/migration-bench.ts';
import type { ObservedMigration } from './observed-migration.ts';
import { STEP_NAMES } from './step-name.ts';

const LIMIT = 600;

/** A migration in a step since its beginning, whose shadow is there, and whose processes say nothing. */
function silent(step: string, more: Partial<MigrationStatus> = {}): ObservedMigration {
  const { status } = decidedAt(0, ALL_WELL).decision;
  const given: MigrationStatus = {
    handedOver: false,
    ...status,
    step,
    stepTime: timeAt(0),
    phaseTime: timeAt(0),
    handover: {
      epoch: 1,
      from: { pod: 'consumer-0', uid: SOURCE, instance: `${SOURCE}-1` },
      to: { pod: 'consumer-0-shadow', uid: SHADOW, instance: `${SHADOW}-1` },
      mirror: 'orders-0.mig.f0e1d2c3.1',
      snapshot: SNAPSHOT,
      committed: false,
    },
    ...more,
  };
  const shadow = podOf({ uid: SHADOW, name: 'consumer-0-shadow', labels: marked('shadow') });
  const named = podOf({ labels: marked('source') });
  return { ...ALL_WELL, migration: migrationOf({}, given), named, shadow, broker: brokerWith() };
}

const stalledIn = (status: MigrationStatus | undefined) =>
  status?.conditions?.find(({ type }) => type === 'Stalled');

const COMMITTED = {
  epoch: 1,
  from: { pod: 'consumer-0', uid: SOURCE },
  to: { pod: 'consumer-0-shadow', uid: SHADOW },
  mirror: 'm',
  committed: true,
};
const TAKING_OVER = { handedOver: true, handover: COMMITTED } as const;

describe('MIG-81: nothing waits for ever in silence', () => {
  test.each([...STEP_NAMES])('step %s', (step) => {
    const outcome = { phase: 'Failed', reason: 'Any', message: 'it failed' } as const;
    const isForward = ['TakeOver', 'Confirm', 'Verify'].includes(step);
    const more = step.startsWith('Undo') ? { outcome } : isForward ? TAKING_OVER : {};
    const { decision, step: now } = decidedAt(LIMIT + 1, silent(step, more), [step]);
    const isDoing = now !== step || decision.action !== undefined;
    expect(isDoing || stalledIn(decision.status)?.status === 'True').toBe(true);
  });

  test('after its deadline a step says what it waits for, from whom, and what a person can do', () => {
    const waiting = silent('TakeOver', TAKING_OVER);
    expect(stalledIn(decidedAt(LIMIT, waiting).decision.status)).toBeUndefined();
    const { decision, events } = decidedAt(LIMIT + 1, waiting);
    expect(stalledIn(decision.status)).toMatchObject({ status: 'True', reason: 'DeadlineExceeded' });
    expect(stalledIn(decision.status)?.message).toBe(
      'step TakeOver is not done: no consumer reports yet: pod consumer-0-shadow is Running. Pod consumer-0-shadow has the state, and the migration completes as soon as that is so. To give up, remove the finalizer migration.ms2m.io/handover and delete the StatefulMigration and the pods with its label: the state is lost then',
    );
    expect(events).toContain('Warning Stalled');
    const again = { ...waiting, migration: migrationOf({}, decision.status) };
    expect(decidedAt(LIMIT + 2, again).events).not.toContain('Warning Stalled');
  });

  test('it is over when the migration goes on', () => {
    const conditions = [
      {
        type: 'Stalled',
        status: 'True',
        reason: 'DeadlineExceeded',
        message: 'x',
        lastTransitionTime: timeAt(0),
      },
    ] as const;
    const recent = silent('Barrier', { stepTime: timeAt(700), phaseTime: timeAt(700), conditions });
    expect(stalledIn(decidedAt(701, recent).decision.status)).toMatchObject({ status: 'False' });
  });

  test('a handover that is tried again and again is late, too, however short its attempts are', () => {
    const steps = [
      { step: 'ReplaceSource', epoch: 2, startTime: timeAt(0) },
      { step: 'Barrier', epoch: 9, startTime: timeAt(900) },
    ];
    const handover = {
      ...COMMITTED,
      epoch: 9,
      committed: false,
      from: COMMITTED.to,
      to: { pod: 'consumer-0', uid: NEW },
    };
    const given = { handedOver: true, handover, steps, stepTime: timeAt(900), phaseTime: timeAt(900) };
    const broker = brokerWith(reportFrom(SHADOW));
    const { decision } = decidedAt(901, { ...silent('Barrier', given), broker });
    expect(stalledIn(decision.status)?.message).toMatch(/Pod consumer-0-shadow has the state/);
  });

  test('before it has begun nothing is to be given up', () => {
    const given = { handedOver: false, step: 'Preflight', stepTime: timeAt(0), phase: 'Pending' } as const;
    const broker = { type: 'unavailable', message: 'refused' } as const;
    const { decision } = decidedAt(LIMIT + 1, { ...ALL_WELL, migration: migrationOf({}, given), broker });
    expect(stalledIn(decision.status)?.message).toMatch(/refused.*\. Nothing is begun/);
  });
});
