import type { AdmissionRequest } from '@kubewright/runtime';
import { expect, test } from 'vitest';
import type { AdmissionDecision } from '../decide/decide-admission.ts';
import { child, NOW, site, update } from '../testing/objects.ts';
import { createPendingCounts, withCounts } from './pending-counts.ts';

const clock = { now: () => NOW.getTime(), monotonic: () => 0 };
const TIME = '2026-01-01T10:00:00Z';

function counts() {
  const all = createPendingCounts(clock, () => undefined);
  const note = (reason: AdmissionDecision['reason'], parent = site()) =>
    all.note({
      request: {} as AdmissionRequest,
      review: update(child()),
      facts: { parent, policy: 'shop', mode: 'log', isEnding: false },
      decision: { reason, allowed: true },
    });
  return { all, note };
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
