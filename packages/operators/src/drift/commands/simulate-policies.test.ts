import { describe, expect, test } from 'vitest';
import type { ClusterApprovalPolicy } from '../approval-policy/approval-policies.ts';
import { readPolicy } from '../approval-policy/read-policy.ts';
import type { DecisionLog, LoggedDecision } from '../decision-log/decision-logs.ts';
import { loggedDrifts, simulatePolicies } from './simulate-policies.ts';

type Rule = ClusterApprovalPolicy['spec']['rules'][number];
const ANY: Rule = { apiVersion: '*', kind: '*', name: '*', namespace: '*', mode: 'always' };
const metadata = { name: 'night', uid: 'a-1', resourceVersion: '1', creationTimestamp: '' };

const rulesOf = (rules: readonly Partial<Rule>[], users?: readonly string[]) =>
  readPolicy({
    apiVersion: 'kausality.io/v1alpha1',
    kind: 'ClusterApprovalPolicy',
    metadata,
    spec: { rules: rules.map((rule) => ({ ...ANY, ...rule })), ...(users && { users }) },
  }).rules;

const drift = (fields: Partial<LoggedDecision> = {}): LoggedDecision => ({
  time: '2026-01-01T23:00:00Z',
  times: 3,
  operation: 'UPDATE',
  object: { apiVersion: 'v1', kind: 'ConfigMap', name: 'web', uid: 'c-1' },
  parentGeneration: 4,
  user: 'ctl',
  reason: 'Drift',
  allowed: false,
  mode: 'enforce',
  fields: ['data.theme'],
  trace: [{ apiVersion: 'v1', kind: 'Site', name: 'web', user: 'alice', timestamp: 'then' }],
  hops: 1,
  ...fields,
});
const logOf = (...decisions: readonly LoggedDecision[]): DecisionLog => ({
  apiVersion: 'kausality.io/v1alpha1',
  kind: 'DecisionLog',
  metadata: { ...metadata, namespace: 'shop' },
  spec: { parent: { apiVersion: 'example.com/v1', kind: 'Site', name: 'web' }, decisions },
});
const verdicts = (rules: ReturnType<typeof rulesOf>, ...decisions: readonly LoggedDecision[]) =>
  simulatePolicies(rules, loggedDrifts([logOf(...decisions)])).map(({ verdict }) => verdict);

describe('simulate', () => {
  test('only drift counts, approved or not, from the oldest on', () => {
    const old = drift({ time: '2025-12-31T23:00:00Z', reason: 'Approved', user: 'old' });
    const drifts = loggedDrifts([logOf(drift(), drift({ reason: 'Reconciling' })), logOf(old)]);
    expect(drifts.map(({ decision: { user } }) => user)).toEqual(['old', 'ctl']);
  });

  test.each<[string, Partial<Rule>, string]>([
    ['everything', {}, 'approved'],
    ['its kind', { kind: 'ConfigMap', apiVersion: 'v1', name: 'web', namespace: 'shop' }, 'approved'],
    ['another kind', { kind: 'Secret' }, 'not approved'],
    ['another namespace', { namespace: 'office' }, 'not approved'],
    ['its operation', { operations: ['UPDATE'] }, 'approved'],
    ['another operation', { operations: ['DELETE'] }, 'not approved'],
    ['its generation', { mode: 'generation', generation: 4 }, 'approved'],
    ['another generation', { mode: 'generation', generation: 3 }, 'not approved'],
    ['expired then', { expiry: '2026-01-01T00:00:00Z' }, 'not approved'],
    ['a window open then', { windows: [{ schedule: '0 22 * * *', duration: '8h' }] }, 'approved'],
    ['a window closed then', { windows: [{ schedule: '0 6 * * *', duration: '8h' }] }, 'not approved'],
    ['the origin', { match: { cel: `trace.origin.user == 'alice'` } }, 'approved'],
    ['another origin', { match: { cel: `trace.origin.user == 'bob'` } }, 'not approved'],
    ['who does what', { match: { cel: `user == 'ctl' && operation == 'UPDATE'` } }, 'approved'],
    ['the object', { match: { cel: `new.data.theme == 'dark'` } }, 'unknown'],
    ['the object, elsewhere', { kind: 'Secret', match: { cel: 'has(new.data)' } }, 'not approved'],
    [
      'the object, and another origin',
      { prereqs: { cel: `trace.origin.user == 'bob'` }, match: { cel: 'has(new.data)' } },
      'not approved',
    ],
  ])('a rule for %s', (_what, rule, verdict) => {
    expect(verdicts(rulesOf([rule]), drift())).toEqual([verdict]);
  });

  const seen = {
    old: '{"data":{"theme":"light"}}',
    new: '{"data":{"theme":"dark"},"metadata":{"annotations":{"pin":"hidden-1"}}}',
    parent: '{"metadata":{"name":"web"},"spec":{"color":"red"}}',
  };

  test.each<[string, Partial<LoggedDecision>, string]>([
    [`new.data.theme == 'dark' && old.data.theme == 'light'`, { seen }, 'approved'],
    [`new.data.theme == 'light'`, { seen }, 'not approved'],
    [`parent.spec.color == 'red' && parent.metadata.name == 'web'`, { seen }, 'approved'],
    [`has(new.metadata.annotations.pin)`, { seen }, 'unknown'],
    [`new.spec.adminPassword == 'x'`, { seen }, 'unknown'],
    [`parent.spec.color == 'red'`, { seen: { new: seen.new } }, 'unknown'],
    [`old == null && new.data.theme == 'dark'`, { operation: 'CREATE', seen: { new: seen.new } }, 'approved'],
    [
      `new == null && old.data.theme == 'light'`,
      { operation: 'DELETE', seen: { old: seen.old } },
      'approved',
    ],
    [`new == null && old.data.theme == 'light'`, { operation: 'DELETE' }, 'unknown'],
    [`new.data.theme == 'dark'`, { seen: { new: '{' } }, 'unknown'],
  ])('DRF-108 an expression %s of a drift with %j', (cel, fields, verdict) => {
    expect(verdicts(rulesOf([{ match: { cel } }]), drift(fields))).toEqual([verdict]);
  });

  test('another user, and the first rule of several that is sure', () => {
    expect(verdicts(rulesOf([{}], ['somebody']), drift())).toEqual(['not approved']);
    expect(verdicts(rulesOf([{ match: { cel: 'has(new.data)' } }, { name: 'web' }]), drift())).toEqual([
      'approved',
    ]);
  });

  test('once: the first change of a child at each generation of its parent', () => {
    const once = rulesOf([{ mode: 'once' }]);
    const second = drift({ fields: ['data.color'] });
    expect(verdicts(once, drift(), second, drift({ parentGeneration: 5 }))).toEqual([
      'approved',
      'not approved',
      'approved',
    ]);
  });

  test('all hops are known only of a short trace', () => {
    const rule = rulesOf([{ match: { cel: 'trace.hops.size() == 1' } }]);
    expect(verdicts(rule, drift(), drift({ hops: 9 }))).toEqual(['approved', 'unknown']);
  });
});
