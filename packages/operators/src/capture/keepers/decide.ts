import { formatTime, parseTime, setCondition } from '@kubewright/kube';
import type { Decision } from '@kubewright/runtime';
import type { KeeperStatus, ObjectKeeper } from '../api/object-keeper.ts';
import { parseDuration } from '../../kit/parse-duration.ts';

/** The state of the object that a keeper follows. */
export type Followed =
  | { readonly type: 'found'; readonly uid: string }
  /** The server serves the kind, and responds that the object does not exist. */
  | { readonly type: 'absent' }
  /** The read failed: this must not count as gone. */
  | { readonly type: 'unknown'; readonly reason: string; readonly message: string };

export type ObservedKeeper = {
  readonly keeper: ObjectKeeper;
  /** Absent for a keeper that follows no object. */
  readonly followed?: Followed;
};

/** Deletes the keeper; the garbage collector then deletes what it owns. */
export type KeeperAction = { readonly type: 'delete'; readonly keeper: ObjectKeeper };
export type KeeperDecision = Decision<KeeperAction, KeeperStatus>;

/**
 * An object counts as gone only when a second read, after this time, finds it gone again: after a restart, API servers
 * have responded 404 for live objects (kubernetes #71218, #115241), and everything a keeper owns is deleted with it.
 */
const CONFIRM_MS = 3000;

/** @param syncPeriod milliseconds between two reads of a followed object */
export function decide({ keeper, followed }: ObservedKeeper, now: Date, syncPeriod: number): KeeperDecision {
  const { mode, ttl, followObjectRef } = keeper.spec;
  if (mode === 'TTL') return decideTtl(keeper, ttl, now);
  if (followObjectRef === undefined || followed === undefined)
    return pending(keeper, 'MissingFollowObjectRef', 'spec.followObjectRef is missing', now);
  if (followed.type === 'unknown')
    return { ...unknown(keeper, followed.reason, followed.message, now), requeueAfter: syncPeriod };
  if (followed.type === 'found' && followed.uid === followObjectRef.uid)
    return { ...tracking(keeper, now), requeueAfter: syncPeriod };
  // The name now belongs to another object: there is nothing to confirm.
  if (followed.type === 'found' && mode === 'FollowObject')
    return remove(keeper, 'ObjectReplaced', 'the followed object was replaced by another of its name');
  return decideGone(keeper, now);
}

function decideGone(keeper: ObjectKeeper, now: Date): KeeperDecision {
  const { mode, ttl } = keeper.spec;
  const wait = mode === 'FollowObject' ? CONFIRM_MS : milliseconds(ttl);
  if (wait === undefined) return pending(keeper, 'InvalidTTL', `spec.ttl ${ttl} is not a duration`, now);
  return expiring(keeper, wait, now);
}

function decideTtl(keeper: ObjectKeeper, ttl: string | undefined, now: Date): KeeperDecision {
  const wait = milliseconds(ttl);
  if (wait === undefined) return pending(keeper, 'InvalidTTL', `spec.ttl ${ttl} is not a duration`, now);
  const created = parseTime(keeper.metadata.creationTimestamp ?? formatTime(now));
  const left = created.getTime() + wait - now.getTime();
  if (left <= 0) return remove(keeper, 'Expired', `the TTL of ${ttl} has passed`);
  return { reason: 'Expiring', status: { ...keeper.status, phase: 'Expiring' }, requeueAfter: bounded(left) };
}

function milliseconds(ttl: string | undefined): number | undefined {
  return ttl === undefined ? undefined : parseDuration(ttl);
}

/** The longest delay of a Node.js timer is 24 days; one day is enough. */
const LONGEST_MS = 86_400_000;

function bounded(ms: number): number {
  return Math.min(ms, LONGEST_MS);
}

/** The status stays equal while nothing changes: thousands of idle keepers cause no writes. */
function tracking(keeper: ObjectKeeper, now: Date): KeeperDecision {
  const { lostAt: _found, message: _old, ...status } = keeper.status ?? {};
  const conditions = activeIs('True', 'ObjectExists', '', keeper, now);
  return { reason: 'Tracking', status: { ...status, phase: 'Tracking', conditions } };
}

/** The time at which the object was first found gone is stored, so a restart does not reset the wait. */
function expiring(keeper: ObjectKeeper, wait: number, now: Date): KeeperDecision {
  const { lostAt } = keeper.status ?? {};
  const message = 'the followed object is gone';
  if (lostAt === undefined) {
    const conditions = activeIs('False', 'ObjectGone', message, keeper, now);
    const status: KeeperStatus = {
      ...keeper.status,
      phase: 'Expiring',
      message,
      lostAt: formatTime(now),
      conditions,
    };
    return { reason: 'ObjectGone', status, requeueAfter: bounded(Math.max(wait, CONFIRM_MS)) };
  }
  const left = parseTime(lostAt).getTime() + wait - now.getTime();
  return left <= 0
    ? remove(keeper, 'ObjectGone', message)
    : { reason: 'Expiring', requeueAfter: bounded(left) };
}

function pending(keeper: ObjectKeeper, reason: string, message: string, now: Date): KeeperDecision {
  const conditions = activeIs('False', reason, message, keeper, now);
  return { reason, status: { ...keeper.status, phase: 'Pending', message, conditions } };
}

/** A failed read does not change the phase. */
function unknown(keeper: ObjectKeeper, reason: string, message: string, now: Date): KeeperDecision {
  const { phase = 'Pending' } = keeper.status ?? {};
  const conditions = activeIs('Unknown', reason, message, keeper, now);
  return { reason, status: { ...keeper.status, phase, message, conditions } };
}

function activeIs(
  status: 'True' | 'False' | 'Unknown',
  reason: string,
  message: string,
  keeper: ObjectKeeper,
  now: Date,
): NonNullable<KeeperStatus['conditions']> {
  return setCondition(
    keeper.status?.conditions ?? [],
    { type: 'Active', status, reason, message },
    formatTime(now),
  );
}

function remove(keeper: ObjectKeeper, reason: string, message: string): KeeperDecision {
  return { reason, action: { type: 'delete', keeper }, events: [{ type: 'Normal', reason, message }] };
}
