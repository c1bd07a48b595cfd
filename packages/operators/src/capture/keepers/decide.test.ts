import { describe, expect, test } from 'vitest';
import type { KeeperStatus } from '../api/object-keeper.ts';
import { at, keeperOf, timeAt } from '../testing/requests.ts';
import { decide, type Followed } from './decide.ts';

const FOUND: Followed = { type: 'found', uid: 'uid-one' };
const ABSENT: Followed = { type: 'absent' };
const UNKNOWN: Followed = { type: 'unknown', reason: 'NotServed', message: 'away' };

const SYNC_PERIOD = 60_000;

const decided = (seconds: number, followed: Followed, keeper = keeperOf()) =>
  decide({ keeper, followed }, at(seconds), SYNC_PERIOD);

/** What a keeper's status is after decisions about what was seen of its object, each so many seconds after the start. */
function statusAfter(
  keeper: ReturnType<typeof keeperOf>,
  ...seen: readonly (readonly [number, Followed])[]
): KeeperStatus {
  return seen.reduce<KeeperStatus>(
    (status, [seconds, followed]) => decided(seconds, followed, { ...keeper, status }).status ?? status,
    keeper.status ?? {},
  );
}

describe('a keeper that follows an object', () => {
  test('CAP-98 deletes itself, and nothing else, when the object is gone and is so still', () => {
    const first = decided(10, ABSENT);
    expect(first).toMatchObject({ status: { phase: 'Expiring', lostAt: timeAt(10) }, requeueAfter: 3000 });
    expect(first.action).toBeUndefined();
    const keeper = { ...keeperOf(), status: first.status ?? {} };
    expect(decided(12, ABSENT, keeper)).toEqual({ reason: 'Expiring', requeueAfter: 1000 });
    expect(decided(13, ABSENT, keeper)).toMatchObject({
      reason: 'ObjectGone',
      action: { type: 'delete', keeper },
    });
  });

  test('CAP-99 deletes itself at once when the object was made anew', () => {
    expect(decided(10, { type: 'found', uid: 'another' }).action).toMatchObject({ type: 'delete' });
  });

  test('CAP-101 CAP-D18 survives one 404 that was not true, a kind that is not served, and a read that is forbidden', () => {
    const status = statusAfter(keeperOf(), [10, ABSENT], [11, FOUND]);
    expect(status).not.toHaveProperty('lostAt');
    expect(decided(99, ABSENT, keeperOf({}, status)).action).toBeUndefined();
    expect(decided(99, UNKNOWN).action).toBeUndefined();
    const tracking = statusAfter(keeperOf(), [1, FOUND], [2, UNKNOWN]);
    expect(tracking).toMatchObject({
      phase: 'Tracking',
      conditions: [{ status: 'Unknown', reason: 'NotServed' }],
    });
  });

  test('CAP-108 CAP-D18 says the same again as long as nothing changes', () => {
    const once = statusAfter(keeperOf(), [1, FOUND]);
    expect(once).toMatchObject({ phase: 'Tracking', conditions: [{ type: 'Active', status: 'True' }] });
    const ten = Array.from({ length: 10 }, (_none, minute) => [minute * 60, FOUND] as const);
    expect(statusAfter(keeperOf({}, once), ...ten)).toEqual(once);
    expect(decided(600, FOUND, keeperOf({}, once)).requeueAfter).toBe(SYNC_PERIOD);
  });

  test('waits for a reference', () => {
    const { followObjectRef: _none, ...spec } = keeperOf().spec;
    const keeper = { ...keeperOf(), spec };
    expect(decide({ keeper }, at(1), SYNC_PERIOD)).toMatchObject({
      reason: 'MissingFollowObjectRef',
      status: { phase: 'Pending' },
    });
  });
});

describe('a keeper with a time to live', () => {
  test('CAP-102 counts from when its object was first seen to be gone, also after a restart', () => {
    const keeper = keeperOf({ mode: 'FollowObjectWithTTL', ttl: '1m' });
    const status = statusAfter(keeper, [10, ABSENT], [30, ABSENT], [40, ABSENT]);
    expect(status.lostAt).toBe(timeAt(10));
    const later = { ...keeper, status };
    expect(decided(69, ABSENT, later)).toEqual({ reason: 'Expiring', requeueAfter: 1000 });
    expect(decided(70, ABSENT, later).action).toMatchObject({ type: 'delete' });
  });

  test.each([
    [59, { reason: 'Expiring', status: { phase: 'Expiring' }, requeueAfter: 1000 }],
    [60, { reason: 'Expired', action: { type: 'delete' } }],
  ])('CAP-103 of mode TTL counts from its creation: after %i s', (seconds, expected) => {
    const keeper = { ...keeperOf(), spec: { mode: 'TTL', ttl: '1m' } as const };
    expect(decide({ keeper }, at(seconds), SYNC_PERIOD)).toMatchObject(expected);
  });
});
