import { expect, test } from 'vitest';
import type { Kausality } from '../api.ts';
import { NOW, site } from '../testing/objects.ts';
import { coverageCondition } from './coverage-condition.ts';
import { coverageOf, type KindCount } from './coverage-of.ts';
import { nextLearned } from './next-learned.ts';
import { unenforced } from './unenforced.ts';

const days = (ago: number): string =>
  new Date(NOW.getTime() - ago * 86_400_000).toISOString().replace('.000', '');
const count = (more: Partial<KindCount> = {}): KindCount => ({
  group: 'example.com',
  kind: 'Site',
  writes: 20,
  alarms: 0,
  since: days(4),
  isKnown: false,
  ...more,
});
const silent = site({ status: { state: 'ok' } });
const policy = (kinds: readonly KindCount[], spec = {}): Kausality => ({
  apiVersion: 'kausality.io/v1alpha1',
  kind: 'Kausality',
  metadata: { name: 'shop', uid: 'k-1', resourceVersion: '1', creationTimestamp: days(4) },
  spec: { mode: 'enforce', resources: [], ...spec },
  status: { kinds },
});

test.each<[string, ReturnType<typeof site>]>([
  ['whose status has a generation', site()],
  ['with the condition Ready', site({ status: { conditions: [{ type: 'Ready', status: 'False' }] } })],
  ['of a kind with a profile', { ...silent, apiVersion: 'jobset.x-k8s.io/v1alpha2', kind: 'JobSet' }],
  ['of Kubernetes itself', { ...silent, apiVersion: 'apps/v1', kind: 'Deployment' }],
])('DRF-114 a parent %s is covered from the start', (_what, parent) => {
  expect(coverageOf(parent, undefined, NOW).state).toBe('covered');
  expect(unenforced(parent, policy([]), NOW)).toBeUndefined();
});

test.each<[string, KindCount | undefined, string]>([
  ['nothing was counted', undefined, 'nothing is counted yet'],
  ['few writes were', count({ writes: 19 }), '19 of 20 writes'],
  ['it was seen for two days', count({ since: days(2) }), '3 days without an alarm are over at 2026-01-02'],
  ['the last alarm was two days ago', count({ alarms: 1, lastAlarm: days(2) }), '1 alarms'],
])(
  'DRF-114 a kind of which nothing is known is being learned while %s: enforce acts as log',
  (_what, one, why) => {
    const kinds = one === undefined ? [] : [one];
    expect(coverageOf(silent, one, NOW)).toMatchObject({
      state: 'learning',
      why: expect.stringContaining(why) as string,
    });
    expect(unenforced(silent, policy(kinds), NOW)).toContain(
      'Site is not covered yet: no observedGeneration',
    );
    expect(unenforced(silent, policy(kinds, { enforceUncovered: true }), NOW)).toBeUndefined();
  },
);

test('DRF-114 after twenty writes and three days without an alarm it is covered', () => {
  expect(coverageOf(silent, count(), NOW).why).toContain('learned: 20 writes');
  expect(unenforced(silent, policy([count({ alarms: 1, lastAlarm: days(3) })]), NOW)).toBeUndefined();
});

test('a policy says of each kind that is not covered why not, and looks again when one may be', () => {
  const learning = policy([count({ since: days(2) })]);
  expect(coverageCondition(learning, NOW)).toMatchObject({
    status: 'False',
    reason: 'Learning',
    message: expect.stringMatching(/^Site\.example\.com: no observedGeneration.*as in mode log/) as string,
  });
  expect(nextLearned(learning, NOW)).toBe(86_400_000);
  const pods = count({ group: 'apps', kind: 'ReplicaSet' });
  expect(coverageCondition(policy([pods]), NOW)).toMatchObject({ status: 'False', reason: 'NotCovered' });
  expect(coverageCondition(policy([count()]), NOW)).toMatchObject({ status: 'True', reason: 'AllKinds' });
  expect(coverageCondition(policy([]), NOW).status).toBe('Unknown');
});
