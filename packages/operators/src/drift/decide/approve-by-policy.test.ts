import type { KubeObject } from '@kubewright/kube';
import { expect, test } from 'vitest';
import { ANNOTATIONS } from '../api.ts';
import { decideAdmission } from './decide-admission.ts';
import type { Review } from './review.ts';
import {
  approvals,
  child,
  create,
  NOW,
  remove,
  site,
  traceIn,
  update,
  withAnnotations,
} from '../testing/objects.ts';
import type { ApprovalPolicy, ClusterApprovalPolicy } from '../approval-policy/approval-policies.ts';
import { readPolicy } from '../approval-policy/read-policy.ts';

type Rule = ClusterApprovalPolicy['spec']['rules'][number];
const ANY: Rule = { apiVersion: '*', kind: '*', name: '*', namespace: '*', mode: 'always' };
const metadata = { name: 'night', uid: 'a-1', resourceVersion: '1', creationTimestamp: '' };

const clusterPolicy = (
  rules: readonly Partial<Rule>[],
  users?: readonly string[],
): ClusterApprovalPolicy => ({
  apiVersion: 'kausality.io/v1alpha1',
  kind: 'ClusterApprovalPolicy',
  metadata,
  spec: { rules: rules.map((rule) => ({ ...ANY, ...rule })), ...(users && { users }) },
});
const policy = (namespace: string): ApprovalPolicy => ({
  ...clusterPolicy([{}]),
  kind: 'ApprovalPolicy',
  metadata: { ...metadata, namespace },
});

const alice = JSON.stringify([
  {
    apiVersion: 'v1',
    kind: 'Site',
    name: 'web',
    generation: 3,
    user: 'alice',
    timestamp: 'then',
    labels: { ticket: 'J-1' },
  },
]);
const parent = site({ annotations: { [ANNOTATIONS.trace]: alice }, spec: { color: 'red' } });
const decide = (
  of: ApprovalPolicy | ClusterApprovalPolicy,
  review: Review = update(child()),
  now = NOW,
  owner: KubeObject = parent,
) =>
  decideAdmission(
    review,
    { parent: owner, mode: 'enforce', isEnding: false, approvalRules: readPolicy(of).rules },
    now,
  );
const reason = (rule: Partial<Rule>, ...call: [Review?, Date?]): string =>
  decide(clusterPolicy([rule]), ...call).reason;

test('a rule approves the drift that it covers; the hop says which rule it was', () => {
  const decision = decide(policy('shop'));
  expect(decision).toMatchObject({
    reason: 'Approved',
    allowed: true,
    audit: { 'drift-resolution': 'approved' },
  });
  expect(traceIn(decision)).toMatchObject([
    {
      approval: { mode: 'always', by: 'ApprovalPolicy shop/night, rule 0', generation: 3 },
      causedBy: { kind: 'Site' },
    },
  ]);
  expect(decide(policy('other')).reason).toBe('Drift');
});

test.each<readonly [Partial<Rule>, string]>([
  [{ kind: 'ReplicaSet', apiVersion: 'apps/v1', name: 'web', namespace: 'shop' }, 'Approved'],
  [{ kind: 'ConfigMap' }, 'Drift'],
  [{ apiVersion: 'v1' }, 'Drift'],
  [{ name: 'other' }, 'Drift'],
  [{ namespace: 'other' }, 'Drift'],
  [{ operations: ['UPDATE'] }, 'Approved'],
  [{ operations: ['CREATE', 'DELETE'] }, 'Drift'],
  [{ generation: 3 }, 'Approved'],
  [{ generation: 2, mode: 'generation' }, 'Drift'],
  [{ expiry: '2026-01-01T10:00:01Z' }, 'Approved'],
  [{ expiry: '2026-01-01T10:00:00Z' }, 'Drift'],
])('a rule %j: %s', (rule, expected) => {
  expect(reason(rule)).toBe(expected);
});

test.each<readonly [string, string]>([
  ['old.spec.replicas == 3 && new.spec.replicas == 5', 'Approved'],
  ['new.spec.replicas < 5', 'Drift'],
  [`parent.spec.color == 'red'`, 'Approved'],
  [`trace.origin.user == 'alice' && trace.origin.labels.ticket.startsWith('J-')`, 'Approved'],
  ['size(trace.hops) == 1', 'Approved'],
  [`operation == 'UPDATE' && user.startsWith('system:serviceaccount:shop:')`, 'Approved'],
  ['new.spec.replicas', 'Drift'],
  ['new.spec.none.such == 1', 'Drift'],
])('an expression %s: %s', (cel, expected) => {
  expect(reason({ match: { cel } })).toBe(expected);
  expect(reason({ match: { cel: 'true' }, prereqs: { cel } })).toBe(expected);
});

test('an expression knows what is created and what is deleted', () => {
  expect(reason({ match: { cel: 'old == null && new.spec.replicas == 3' } }, create(child()))).toBe(
    'Approved',
  );
  expect(reason({ match: { cel: 'new == null && old.spec.replicas == 3' } }, remove(child()))).toBe(
    'Approved',
  );
});

test('a policy may be for some users', () => {
  expect(decide(clusterPolicy([{}], ['system:serviceaccount:shop:site-controller'])).reason).toBe('Approved');
  expect(decide(clusterPolicy([{}], ['alice'])).reason).toBe('Drift');
});

test('mode once is for one change of a child, until its parent has another generation', () => {
  const once = clusterPolicy([{ mode: 'once' }]);
  const first = decide(once);
  const stored = withAnnotations(child(), first.annotations ?? {});
  expect([first.reason, decide(once, update(stored)).reason]).toEqual(['Approved', 'Drift']);
  const next = site({ metadata: { generation: 4 }, status: { observedGeneration: 4 } });
  expect(decide(once, update(stored), NOW, next).reason).toBe('Approved');
  // What a child has used goes with it.
  expect(decide(once, remove(child())).reason).toBe('Drift');
});

test('an approval for one change stays for one that no policy covers; a rejection beats all', () => {
  const annotations = approvals({ mode: 'once', generation: 3 });
  expect(decide(policy('shop'), update(child()), NOW, site({ annotations })).approval).toMatchObject({
    mode: 'always',
  });
  const rejected = site({
    annotations: { [ANNOTATIONS.rejections]: '[{"apiVersion":"*","kind":"*","name":"*"}]' },
  });
  expect(decide(policy('shop'), update(child()), NOW, rejected).reason).toBe('Rejected');
});

test.each<readonly [string, string | undefined, string, string]>([
  ['0 22 * * *', undefined, '2026-01-01T21:59:59Z', 'Drift'],
  ['0 22 * * *', undefined, '2026-01-01T22:00:00Z', 'Approved'],
  ['0 22 * * *', undefined, '2026-01-02T05:59:59Z', 'Approved'],
  ['0 22 * * *', undefined, '2026-01-02T06:00:00Z', 'Drift'],
  ['0 22 * * *', 'Europe/Berlin', '2026-01-01T21:00:00Z', 'Approved'],
  ['0 22 * * *', 'Europe/Berlin', '2026-01-02T05:00:00Z', 'Drift'],
  // New Year of 2026 is a Thursday.
  ['0 22 * * 5', undefined, '2026-01-01T23:00:00Z', 'Drift'],
])('a window that opens at %s (%s) for eight hours: %s %s', (schedule, timeZone, now, expected) => {
  const window = { schedule, duration: '8h', ...(timeZone === undefined ? {} : { timeZone }) };
  const shut = { schedule: '0 0 30 2 *', duration: '1h' };
  expect(reason({ windows: [shut, window] }, update(child()), new Date(now))).toBe(expected);
});

test('a rule that cannot be read approves nothing, and says why; the others do', () => {
  const broken = clusterPolicy([
    { match: { cel: 'new.spec.replicas ==' }, prereqs: { cel: 'nobody.knows' } },
    { windows: [{ schedule: '0 22 * *', duration: '8h' }] },
    {
      windows: [
        { schedule: '0 22 * * *', duration: 'long' },
        { schedule: '@every 1h', duration: '1m' },
      ],
    },
    { windows: [{ schedule: '0 22 * * *', duration: '8h', timeZone: 'Mars/Base' }] },
    { expiry: 'never' },
  ]);
  const { rules, problems } = readPolicy(broken);
  expect(rules).toEqual([]);
  expect(problems.map((problem) => problem.split(': ')[0])).toEqual([
    'spec.rules[0].prereqs.cel',
    'spec.rules[0].match.cel',
    'spec.rules[1].windows[0].schedule',
    'spec.rules[2].windows[0].duration',
    'spec.rules[2].windows[1].schedule',
    'spec.rules[3].windows[0].timeZone',
    'spec.rules[4].expiry',
  ]);
  expect(decide(broken).reason).toBe('Drift');
  expect(decide(clusterPolicy([{ match: { cel: ')' } }, {}])).reason).toBe('Approved');
});

test.each([
  "new.metadata.labels.text.matches('^(a|a?)+$b')",
  'lists.range(9999).all(a, lists.range(9999).all(b, a + b >= 0))',
  "lists.range(9999).exists(a, 'b'.matches('(a{9}|' + string(a) + '){99}'))",
])('an expression that would take for ever is stopped, and approves nothing: %s', (cel) => {
  const hostile = child();
  const labels = { text: 'a'.repeat(63) };
  const review = update({ ...hostile, metadata: { ...hostile.metadata, labels } });
  expect(decide(clusterPolicy([{ match: { cel } }]), review).reason).toBe('Drift');
});

test('the rules of all policies together have one limit for a request', () => {
  const cel = 'lists.range(9999).all(a, a >= 0)';
  const slow = (last: string) => [
    ...Array.from({ length: 49 }, () => ({ match: { cel: `${cel} && false` } })),
    { match: { cel: last } },
  ];
  expect(decide(clusterPolicy([{ match: { cel } }])).reason).toBe('Approved');
  expect(decide(clusterPolicy(slow('true'))).reason).toBe('Drift');
});
