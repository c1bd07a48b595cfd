import { expect, test } from 'vitest';
import { ANNOTATIONS } from '../api.ts';
import { traceOf } from '../annotations/trace-of.ts';
import { approvals, child, NOW, site } from '../testing/objects.ts';
import { describeObject } from './describe-object.ts';
import { nextSteps } from './next-steps.ts';
import type { Drift } from './read-drifts.ts';
import { stateOf } from './state-of.ts';

const open: Drift = {
  parent: 'site/web',
  child: 'replicaset/web',
  isNew: false,
  state: 'open',
  times: 3,
  last: '2026-01-01T09:59:00Z',
  message: 'ctl updates ReplicaSet web (spec.replicas); denied',
};
const TRACE = JSON.stringify([
  {
    apiVersion: 'example.com/v1',
    kind: 'Site',
    name: 'web',
    generation: 3,
    user: 'alice',
    timestamp: '2026-01-01T09:00:00Z',
    labels: { ticket: 'J-1' },
  },
  {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    name: 'web',
    generation: 7,
    user: 'ctl',
    timestamp: '2026-01-01T09:00:02Z',
    approval: { mode: 'once', by: 'bob' },
    causedBy: { apiVersion: 'example.com/v1', kind: 'Site', name: 'web', generation: 3 },
  },
]);

test('an object with its parent, its trace, its drift and what to do', () => {
  const parent = stateOf(
    site({ annotations: { ...approvals({ mode: 'once', generation: 3, by: 'bob', reason: 'tried' }) } }),
    NOW,
  );
  const live = child({ annotations: { [ANNOTATIONS.trace]: TRACE } });
  const about = {
    namespace: 'shop',
    state: stateOf(live, NOW),
    parent,
    trace: traceOf(live),
    drifts: [open],
  };
  const mode = { mode: 'enforce', policy: 'shop' } as const;
  expect(describeObject({ ...about, mode, next: nextSteps(about) })).toBe(
    `ReplicaSet web in namespace shop: mode enforce, by policy shop
Its parent is Site web: generation 3 is reconciled, so what its controller changes is drift

Trace
  2026-01-01T09:00:00Z   alice changed Site web to generation 3 (ticket: J-1)
  2026-01-01T09:00:02Z   ctl changed ReplicaSet web to generation 7, approved once by bob on Site web

Drift
  open, 3 times, last 2026-01-01T09:59:00Z: ctl updates ReplicaSet web (spec.replicas); denied

On Site web
  approved once: ReplicaSet web, for generation 3, by bob: tried

What to do
  kubewright drift approve replicaset/web -n shop               allow one such change
  kubewright drift reject replicaset/web --reason '…' -n shop   deny it, with your reason
  kubewright drift snooze site/web --for 8h -n shop             decide later, without Events and reports
`,
  );
});

test('what to do depends on the state', () => {
  const stepsFor = (annotations: Readonly<Record<string, string>>, drifts: readonly Drift[]) =>
    nextSteps({ state: stateOf(child(), NOW), parent: stateOf(site({ annotations }), NOW), drifts }).map(
      ({ command }) => command,
    );
  expect(stepsFor({}, [])).toEqual([]);
  expect(stepsFor({ [ANNOTATIONS.freeze]: 'true' }, [{ ...open, state: 'frozen' }])).toEqual([
    'kubewright drift unfreeze site/web',
  ]);
  expect(stepsFor({}, [{ ...open, state: 'approved' }])).toEqual([]);
  expect(stepsFor({}, [{ ...open, state: 'rejected' }])).toEqual(['kubewright drift approve replicaset/web']);
  expect(stepsFor({}, [{ ...open, isNew: true }])[0]).toBe(
    'kubewright drift approve replicaset/web --parent site/web',
  );
  expect(stepsFor({ [ANNOTATIONS.snooze]: '2026-01-01T11:00:00Z' }, [])).toEqual([
    'kubewright drift snooze site/web --for 0',
  ]);
});

test('a parent that is frozen, snoozed, or whose rejections are not readable', () => {
  const state = stateOf(
    site({
      annotations: {
        [ANNOTATIONS.freeze]: '{"message":"incident","at":"2026-01-01T09:00:00Z"}',
        [ANNOTATIONS.snooze]: '{"expiry":"2026-01-01T11:00:00Z"}',
        [ANNOTATIONS.rejections]: 'nonsense',
      },
    }),
    NOW,
  );
  const text = describeObject({ state, mode: { mode: 'untracked' }, trace: [], drifts: [], next: [] });
  expect(text).toContain('frozen since 2026-01-01T09:00:00Z: incident');
  expect(text).toContain('snoozed until 2026-01-01T11:00:00Z');
  expect(text).toContain('rejected: * *: the annotation is not readable');
  expect(text).toContain('It has no controller owner');
});
