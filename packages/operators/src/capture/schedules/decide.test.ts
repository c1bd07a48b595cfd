import { parseTime } from '@kubewright/kube';
import { describe, expect, test } from 'vitest';
import type { CaptureSchedule, CaptureScheduleStatus } from '../api/capture-schedule.ts';
import { at, AUTHOR, requestMeta, timeAt } from '../testing/requests.ts';
import { decide, refusedSchedule, type ScheduleDecision } from './decide.ts';
import { jitterOf, overdueMs } from './due-run.ts';
import type { MadeRequest, ObservedSchedule } from './observed-schedule.ts';

const HOUR = 3600;
const MANIFESTS = { selection: { kinds: [{ apiVersion: 'v1', kind: 'ConfigMap' }] } };

/** Made at the beginning, due each hour. */
function scheduleWith(
  spec: Partial<CaptureSchedule['spec']> = {},
  status?: CaptureScheduleStatus,
): CaptureSchedule {
  return {
    apiVersion: 'capture.kubewright.io/v1alpha1',
    kind: 'CaptureSchedule',
    metadata: requestMeta('hourly'),
    spec: {
      schedule: '@hourly',
      suspend: false,
      concurrencyPolicy: 'Forbid',
      jitterSeconds: 0,
      retention: { count: 2 },
      manifests: MANIFESTS,
      ...spec,
    },
    ...(status === undefined ? {} : { status }),
  };
}

function requestAt(seconds: number, state: MadeRequest['state'] = 'succeeded'): MadeRequest {
  const name = `of-${seconds}`;
  return { kind: 'ManifestCaptureRequest', name, uid: `uid-${name}`, time: at(seconds).getTime(), state };
}

function decided(
  schedule: CaptureSchedule,
  seconds: number,
  more: Partial<ObservedSchedule> = {},
): ScheduleDecision {
  return decide({ schedule, author: AUTHOR, requests: [], claims: [], ...more }, at(seconds));
}

const begunAt = (seconds: number): CaptureScheduleStatus => ({ lastScheduleTime: timeAt(seconds) });
const createdFor = ({ action }: ScheduleDecision): string | undefined =>
  action?.type === 'create'
    ? action.request.metadata.annotations['capture.kubewright.io/scheduled-at']
    : undefined;

/**
 * A day by a virtual clock: whoever is woken when it asked to be, and whose requests end at once. `awake` says when the
 * operator runs at all.
 */
function play(
  spec: Partial<CaptureSchedule['spec']>,
  hours: number,
  awake: (hour: number) => boolean = () => true,
) {
  let schedule = scheduleWith(spec);
  let requests: readonly MadeRequest[] = [];
  const made: string[] = [];
  let writes = 0;
  for (let now = at(0).getTime(), end = at(hours * HOUR).getTime(); now < end; ) {
    const hour = (now - at(0).getTime()) / 1000 / HOUR;
    if (!awake(hour)) {
      now += 60_000;
      continue;
    }
    const decision = decide({ schedule, author: AUTHOR, requests, claims: [] }, new Date(now));
    if (decision.status !== undefined) schedule = { ...schedule, status: decision.status };
    const { action } = decision;
    if (action === undefined) {
      now += decision.requeueAfter ?? HOUR * 1000;
      continue;
    }
    writes++;
    if (action.type === 'delete') {
      requests = requests.filter(({ uid }) => uid !== action.request.uid);
      continue;
    }
    const { name, annotations } = action.request.metadata;
    const time = parseTime(annotations['capture.kubewright.io/scheduled-at'] ?? '').getTime();
    expect(requests.map((request) => request.name)).not.toContain(name);
    made.push(annotations['capture.kubewright.io/scheduled-at'] ?? '');
    requests = [...requests, { kind: 'ManifestCaptureRequest', name, uid: name, time, state: 'succeeded' }];
  }
  return { schedule, requests, made, writes };
}

describe('a schedule', () => {
  test('CAP-187 makes one run at each moment, notes it when all its requests are there, and keeps as many as it says', () => {
    const { made, requests, schedule, writes } = play({ retention: { count: 3 } }, 24.5);
    expect(made).toEqual(Array.from({ length: 24 }, (_, index) => timeAt((index + 1) * HOUR)));
    expect(requests).toHaveLength(3);
    expect(schedule.status).toMatchObject({
      lastScheduleTime: timeAt(24 * HOUR),
      lastSuccessTime: timeAt(24 * HOUR),
      nextScheduleTime: timeAt(25 * HOUR),
      active: 0,
      kept: 3,
    });
    // Each run is one request made and, once three are there, one deleted.
    expect(writes).toBe(24 + 21);
  });

  test('CAP-188 after a time in which nobody ran it, makes the last run that was missed, and none before it', () => {
    const asleep = (hour: number) => hour < 2.5 || hour > 7.25;
    const { made } = play({}, 10.5, asleep);
    expect(made).toEqual([1, 2, 7, 8, 9, 10].map((hour) => timeAt(hour * HOUR)));
  });

  test('CAP-188 leaves out a run that could not begin in time, says so, and makes the next one', () => {
    const schedule = scheduleWith({ startingDeadlineSeconds: 60 });
    const late = decided(schedule, HOUR + 61);
    expect(late).toMatchObject({
      reason: 'Missed',
      status: { lastMissedTime: timeAt(HOUR), nextScheduleTime: timeAt(2 * HOUR) },
      events: [{ reason: 'RunMissed' }],
    });
    expect(late.action).toBeUndefined();
    expect(createdFor(decided(scheduleWith({}, late.status), 2 * HOUR))).toBe(timeAt(2 * HOUR));
    expect(createdFor(decided(schedule, HOUR + 60))).toBe(timeAt(HOUR));
  });

  test('CAP-189 while a run has not ended, waits, begins beside it, or takes its place', () => {
    const requests = [requestAt(HOUR, 'running')];
    const with_ = (concurrencyPolicy: CaptureSchedule['spec']['concurrencyPolicy']) =>
      decided(scheduleWith({ concurrencyPolicy }, begunAt(HOUR)), 2 * HOUR, { requests });
    expect(with_('Forbid')).toMatchObject({ reason: 'WaitForRunning', status: { active: 1 } });
    expect(with_('Forbid').action).toBeUndefined();
    expect(createdFor(with_('Allow'))).toBe(timeAt(2 * HOUR));
    expect(with_('Replace').action).toMatchObject({ type: 'delete', request: { uid: `uid-of-${HOUR}` } });
  });

  test('CAP-190 suspended, makes nothing and deletes nothing; invalid, says what is wrong', () => {
    const old = [1, 2, 3].map((hour) => requestAt(hour * HOUR));
    const suspended = decided(scheduleWith({ suspend: true }, begunAt(3 * HOUR)), 9 * HOUR, {
      requests: old,
    });
    expect(suspended.action).toBeUndefined();
    expect(suspended.status?.conditions).toMatchObject([{ status: 'False', reason: 'Suspended' }]);
    const reasonOf = (spec: Partial<CaptureSchedule['spec']>) =>
      decided(scheduleWith(spec), HOUR).status?.conditions?.[0];
    expect(reasonOf({ schedule: '61 * * * *' })).toMatchObject({ reason: 'InvalidSchedule' });
    expect(reasonOf({ timeZone: 'Mars/Olympus' })).toMatchObject({
      message: 'unknown time zone Mars/Olympus',
    });
    expect(reasonOf({ schedule: '0 0 30 2 *' })).toMatchObject({ reason: 'NeverDue' });
  });

  test('CAP-191 keeps the last run that has succeeded, however old, and of those that failed as many as of the others', () => {
    const spec = { retention: { count: 2, age: '1h' } };
    const oldOf = (requests: readonly MadeRequest[], seconds: number) => {
      const { action } = decided(scheduleWith(spec, begunAt(9 * HOUR)), seconds, { requests });
      return action?.type === 'delete' ? action.request.name : undefined;
    };
    expect(oldOf([requestAt(HOUR)], 9.5 * HOUR)).toBeUndefined();
    expect(oldOf([requestAt(HOUR), requestAt(9 * HOUR)], 9.5 * HOUR)).toBe(`of-${HOUR}`);
    expect(oldOf([requestAt(HOUR, 'failed'), requestAt(HOUR - 1)], 9.5 * HOUR)).toBe(`of-${HOUR}`);
    expect(oldOf([requestAt(HOUR, 'running')], 9.5 * HOUR)).toBeUndefined();
  });

  test('CAP-192 makes no request where nobody has checked the rights of its author', () => {
    const author = { type: 'unknown', message: 'nobody has checked' } as const;
    const { action, status } = decided(scheduleWith(), HOUR, { author });
    expect(action).toBeUndefined();
    expect(status?.conditions).toMatchObject([{ reason: 'AuthorNotChecked', message: 'nobody has checked' }]);
  });

  test('CAP-193 begins later than the clock says by its own share of the jitter, and never more', () => {
    const jitterSeconds = 600;
    const schedule = scheduleWith({ jitterSeconds });
    const jitter = jitterOf(schedule);
    expect(jitter).toBeLessThanOrEqual(jitterSeconds * 1000);
    expect(decided(schedule, HOUR + jitter / 1000 - 1).action).toBeUndefined();
    expect(createdFor(decided(schedule, HOUR + jitter / 1000))).toBe(timeAt(HOUR));
    const another = { ...schedule, metadata: { ...schedule.metadata, uid: 'another' } };
    expect(jitterOf(another)).not.toBe(jitter);
    // Also one that is longer than the time between two runs holds none up for ever.
    expect(play({ schedule: '*/5 * * * *', jitterSeconds: 3600 }, 3).made.length).toBeGreaterThan(20);
  });

  test('CAP-194 is overdue for as long as a run should have succeeded that has not', () => {
    const now = (seconds: number) => at(seconds).getTime();
    expect(overdueMs(scheduleWith(), now(HOUR - 1))).toBe(0);
    expect(overdueMs(scheduleWith(), now(HOUR + 60))).toBe(60_000);
    const succeeded = { lastSuccessTime: timeAt(HOUR) };
    expect(overdueMs(scheduleWith({}, succeeded), now(HOUR + 60))).toBe(0);
    expect(overdueMs(scheduleWith({}, succeeded), now(5 * HOUR))).toBe(3 * HOUR * 1000);
    expect(overdueMs(scheduleWith({ suspend: true }, succeeded), now(5 * HOUR))).toBe(0);
  });

  test('CAP-195 whose request is rejected says why, and tries again', () => {
    const observed = { schedule: scheduleWith(), author: AUTHOR, requests: [], claims: [] };
    const why = { reason: 'Forbidden', message: 'User cannot list secrets' };
    expect(refusedSchedule(observed, why, at(HOUR))).toMatchObject({
      status: { conditions: [{ status: 'False', reason: 'Rejected', message: why.message }] },
      requeueAfter: 60_000,
    });
  });
});
