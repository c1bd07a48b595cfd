import type { AdmissionRequest } from '@kubewright/runtime';
import { beforeEach, expect, test } from 'vitest';
import type { KausalityStatus } from '../api.ts';
import type { AdmissionDecision } from '../decide/decide-admission.ts';
import { child, NOW, site, update } from '../testing/objects.ts';
import { createPendingCounts, withCounts } from './pending-counts.ts';

let time = 0;
const clock = { now: () => NOW.getTime() + time, monotonic: () => time };
beforeEach(() => {
  time = 0;
});
const TIME = '2026-01-01T10:00:00Z';

function counts() {
  let news = 0;
  const all = createPendingCounts(clock, () => news++);
  const note = (reason: AdmissionDecision['reason'], parent = site()) =>
    all.note({
      request: {} as AdmissionRequest,
      review: update(child()),
      facts: { parent, policy: 'shop', mode: 'log', isEnding: false },
      decision: { reason, allowed: true },
    });
  return { all, note, news: () => news };
}

test('what controllers write is counted by the kind of its parent, and drift is an alarm', () => {
  const { all, note } = counts();
  for (const reason of ['Reconciling', 'Drift', 'Repeated', 'OtherActor', 'Status', 'Metadata'] as const)
    note(reason);
  const pending = all.of('shop');
  expect([...(pending?.kinds.values() ?? [])]).toEqual([
    { group: 'example.com', kind: 'Site', writes: 3, alarms: 1, since: TIME, lastAlarm: TIME, isKnown: true },
  ]);
});

test('two replicas, and two lives of one, add to what the status has', () => {
  const [first, second] = [counts(), counts()];
  first.note('Reconciling');
  second.note('Drift');
  const [one, other] = [first.all.of('shop'), second.all.of('shop')];
  if (one === undefined || other === undefined) throw new TypeError('nothing is counted');
  const status = withCounts(withCounts({ conditions: [] }, one), other);
  expect(status).toMatchObject({ alarms: '1 of 2 writes', since: TIME, conditions: [] });
});

test('the last alarm is the latest of all replicas', () => {
  const [first, second] = [counts(), counts()];
  first.note('Drift');
  time = 60_000;
  second.note('Drift');
  second.note('Reconciling');
  const [earlier, later] = [first.all.of('shop'), second.all.of('shop')];
  if (earlier === undefined || later === undefined) throw new TypeError('nothing is counted');
  const last = '2026-01-01T10:01:00Z';
  for (const order of [
    [earlier, later],
    [later, earlier],
  ]) {
    const status = order.reduce<KausalityStatus | undefined>(withCounts, undefined);
    expect(status?.kinds).toMatchObject([{ writes: 3, alarms: 2, lastAlarm: last }]);
  }
});

test('the status is looked at when it may have to be written, and not at each write', () => {
  const { note, news } = counts();
  note('Reconciling');
  expect(news()).toBe(1);
  for (let count = 2; count < 20; count++) note('Repeated');
  expect(news()).toBe(1);
  note('Repeated');
  expect(news()).toBe(2);
  note('Repeated');
  expect(news()).toBe(2);
  note('Drift');
  expect(news()).toBe(3);
  note('Reconciling', { ...site(), kind: 'Other' });
  expect(news()).toBe(4);
  time = 599_999;
  note('Repeated');
  expect(news()).toBe(4);
  time = 600_000;
  note('Repeated');
  expect(news()).toBe(5);
});

test('what is counted while the status is written stays, and nothing is counted twice', () => {
  const { all, note } = counts();
  note('Reconciling');
  const written = all.of('shop');
  note('Drift');
  if (written !== undefined) all.drop('shop', written);
  expect([...(all.of('shop')?.kinds.values() ?? [])]).toMatchObject([{ writes: 1, alarms: 1 }]);
  note('Reconciling');
  const rest = all.of('shop');
  if (rest !== undefined) all.drop('shop', rest);
  expect(all.of('shop')).toBeUndefined();
});

test('kinds are bounded, in memory and in the status', () => {
  const { all, note } = counts();
  for (let index = 0; index < 80; index++) note('Reconciling', { ...site(), kind: `Site${index}` });
  const pending = all.of('shop');
  if (pending === undefined) throw new TypeError('nothing is counted');
  expect(pending.kinds.size).toBe(50);
  const others = counts();
  others.note('Reconciling', { ...site(), kind: 'Other' });
  const other = others.all.of('shop');
  expect(withCounts(withCounts(undefined, pending), other ?? pending).kinds).toHaveLength(50);
});
