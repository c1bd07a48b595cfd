import { describe, expect, test } from 'vitest';
import type { MigrationStatus } from '../api.ts';
import {
  ALL_WELL,
  brokerWith,
  decidedAt,
  marked,
  migrationOf,
  podOf,
  reportFrom,
  SHADOW,
  SOURCE,
} from '../testing/migration-bench.ts';
import type { ObservedMigration } from './observed-migration.ts';

const PODS = {
  named: podOf({ labels: marked('source') }),
  shadow: podOf({ uid: SHADOW, name: 'consumer-0-shadow', labels: marked('shadow') }),
};

function statusAt(step: string): MigrationStatus {
  const { status } = decidedAt(0, ALL_WELL).decision;
  const outcome = { phase: 'Failed', reason: 'TargetLost', message: 'gone' } as const;
  return {
    handedOver: false,
    ...status,
    step,
    stepTime: '2026-01-01T00:00:00Z',
    handover: {
      epoch: 1,
      from: { pod: 'consumer-0', uid: SOURCE, instance: `${SOURCE}-1` },
      to: { pod: 'consumer-0-shadow', uid: SHADOW, instance: `${SHADOW}-1` },
      mirror: 'orders-0.mig.f0e1d2c3.1',
      committed: false,
    },
    ...(step.startsWith('Undo') && { outcome }),
  };
}

/** Almost a minute of looks at a broker that is away, each attempt with an error of its own: every status that is written. */
function minuteOf(step: string) {
  const written: MigrationStatus[] = [];
  let status = statusAt(step);
  let looks = 0;
  for (let ms = 1000; ms < 56_000; looks++) {
    const seen: ObservedMigration = {
      ...ALL_WELL,
      migration: migrationOf({}, status),
      ...PODS,
      broker: { type: 'unavailable', message: `attempt ${looks}` },
    };
    const { decision, action, requeueAfter = 0 } = decidedAt(ms / 1000, seen);
    expect([action, requeueAfter > 0]).toEqual(['-', true]);
    const after = decision.status ?? status;
    if (JSON.stringify(after) !== JSON.stringify(status)) written.push(after);
    status = after;
    ms += requeueAfter;
  }
  return { written, looks };
}

describe('MIG-13 a broker that is away for a minute', () => {
  test.each([
    'CreateMirror',
    'Barrier',
    'CatchUp',
    'Quiesce',
    'TakeOver',
    'DeleteQueues',
    'UndoSource',
    'UndoQueues',
  ])('in step %s: it is written once, and it is looked at less and less often', (step) => {
    const { written, looks } = minuteOf(step);
    expect(written.map(({ message }) => message)).toEqual(['the broker is unavailable: attempt 0']);
    expect(looks).toBeLessThan(40);
  });
});

test('MIG-13 a call to the broker that is lost now and then is not written: only what lasts is', () => {
  const status = statusAt('Quiesce');
  const lost = (forMs: number) => {
    const broker = { type: 'unavailable', message: 'connection reset by peer', forMs } as const;
    return decidedAt(2, { ...ALL_WELL, ...PODS, migration: migrationOf({}, status), broker });
  };
  const [blip, outage] = [lost(1999), lost(2000)];
  expect(blip).toMatchObject({ action: '-', requeueAfter: 200 });
  expect(blip.decision.status).toEqual({ ...status, observedGeneration: 1 });
  expect(outage.message).toBe('the broker is unavailable: connection reset by peer');
  expect(outage.decision.status?.conditions).toContainEqual(
    expect.objectContaining({ type: 'BrokerUnavailable', status: 'True' }),
  );
});

test('MIG-13 once the broker has responded, the message does not say any more that it is away', () => {
  const [status] = minuteOf('CreateMirror').written;
  const broker = brokerWith(reportFrom(SOURCE), reportFrom(SHADOW, { mode: 'paused' }));
  const seen = { ...ALL_WELL, ...PODS, broker, migration: migrationOf({}, status) };
  const { decision, action, message } = decidedAt(60, seen);
  expect([action, message]).toEqual(['createMirror', undefined]);
  expect(decision.status?.conditions).toContainEqual(
    expect.objectContaining({ type: 'BrokerUnavailable', status: 'False', reason: 'Reached' }),
  );
});

test('MIG-78 where a broker that was lost denies what is asked, the status says that, once', () => {
  let status: MigrationStatus | undefined = statusAt('Quiesce');
  const look = (second: number, message: string, isDenied: boolean): string | undefined => {
    const broker = { type: 'unavailable', message, isDenied } as const;
    const { decision } = decidedAt(second, {
      ...ALL_WELL,
      ...PODS,
      migration: migrationOf({}, status),
      broker,
    });
    status = decision.status ?? status;
    return status?.message;
  };
  const denied = 'the broker is unavailable: ACCESS_REFUSED a';
  expect([
    look(3, 'connection reset by peer', false),
    look(4, 'ACCESS_REFUSED a', true),
    look(5, 'ACCESS_REFUSED b', true),
    look(6, 'connection reset by peer', false),
  ]).toEqual(['the broker is unavailable: connection reset by peer', denied, denied, denied]);
});
