import type { KubeObject } from '@kubewright/kube';
import { expect, test } from 'vitest';
import { ANNOTATIONS, type Approval } from '../api.ts';
import { formatApprovals } from '../annotations/find-approval.ts';
import type { Plan, PlannedAction } from '../plan/plan.ts';
import { NOW, site, withAnnotations } from '../testing/objects.ts';
import { decidePlan } from './decide-plan.ts';

const WEB = { apiVersion: 'terraform', kind: 'aws_instance', name: 'aws_instance.web' };
const DB = { apiVersion: 'terraform', kind: 'aws_db', name: 'aws_db.main' };
const ONCE = { mode: 'once', generation: 3 };
const EVERYTHING = { apiVersion: '*', kind: '*', name: '*' };

function planOf(changes: Readonly<Record<string, PlannedAction>>, fields: Partial<Plan> = {}): Plan {
  const list = Object.entries(changes).map(([address, action]) => ({ address, action }));
  const nothing = { outside: [], deferred: [], failingChecks: [] };
  return { id: 'plan-1', timestamp: '', isComplete: true, changes: list, ...nothing, ...fields };
}
const one = (action: PlannedAction): Plan => planOf({ 'aws_instance.web': action });
const approved = (...list: readonly Partial<Approval>[]): Record<string, string> => ({
  [ANNOTATIONS.approvals]: JSON.stringify(list.map((each) => ({ ...WEB, ...each }))),
});
const stable = (annotations: Record<string, string> = {}): KubeObject => site({ annotations });
const changed = (annotations: Record<string, string> = {}): KubeObject =>
  site({ annotations, status: { observedGeneration: 2 } });
const reasons = (plan: Plan, parent: KubeObject): readonly string[] =>
  decidePlan(plan, parent, NOW).changes.map(({ verdict }) => verdict.reason);

const CONDITION = { type: 'Reconciling', status: 'True', lastTransitionTime: '2026-01-01T09:59:00Z' };
const working = site({ status: { observedGeneration: 3, conditions: [CONDITION] } });
const fresh = site({ annotations: { [ANNOTATIONS.phase]: 'initializing' } });
const deleting = site({ metadata: { deletionTimestamp: '2026-01-01T09:59:00Z' } });
const frozen = { [ANNOTATIONS.freeze]: 'true' };
const rejected = (fields = {}) => ({ [ANNOTATIONS.rejections]: JSON.stringify([{ ...WEB, ...fields }]) });

test.each<[string, PlannedAction, KubeObject, string, boolean]>([
  ['reconciled', 'create', stable(), 'Drift', false],
  ['reconciled', 'update', stable(), 'Drift', false],
  ['reconciled', 'forget', stable(), 'Drift', false],
  ['reconciled', 'delete', stable(), 'Drift', false],
  ['reconciled', 'replace', stable(), 'Drift', false],
  ['not yet observed', 'create', changed(), 'Reconciling', true],
  ['not yet observed', 'update', changed(), 'Reconciling', true],
  ['not yet observed', 'forget', changed(), 'Reconciling', true],
  ['reconciled', 'forget and create', stable(), 'Drift', false],
  ['reconciled', 'import', stable(), 'Drift', false],
  ['reconciled', 'move', stable(), 'Drift', false],
  ['reconciled', 'invoke', stable(), 'Drift', false],
  ['reconciled', 'set output', stable(), 'Drift', false],
  ['reconciled', 'remove output', stable(), 'Drift', false],
  ['reconciled', 'refresh', stable(), 'ChangedOutside', true],
  ['reconciled, with a rejection', 'refresh', stable(rejected()), 'Rejected', false],
  ['frozen', 'refresh', stable(frozen), 'Frozen', false],
  ['frozen', 'import', stable(frozen), 'Frozen', false],
  ['approved once', 'import', stable(approved(ONCE)), 'Approved', true],
  ['not yet observed', 'forget and create', changed(), 'Reconciling', true],
  ['not yet observed', 'import', changed(), 'Reconciling', true],
  ['not yet observed', 'remove output', changed(), 'Reconciling', true],
  ['not yet observed', 'delete', changed(), 'Destructive', false],
  ['not yet observed', 'replace', changed(), 'Destructive', false],
  ['at work', 'update', working, 'Reconciling', true],
  ['at work', 'replace', working, 'Destructive', false],
  ['never ready', 'create', fresh, 'Initializing', true],
  ['never ready', 'delete', fresh, 'Destructive', false],
  ['being deleted', 'delete', deleting, 'ParentDeleting', true],
  ['frozen', 'update', changed(frozen), 'Frozen', false],
  ['frozen, with an approval', 'update', stable({ ...frozen, ...approved(ONCE) }), 'Frozen', false],
  ['reconciled, with a rejection', 'update', stable({ ...rejected(), ...approved(ONCE) }), 'Rejected', false],
  ['reconciled, with a rejection of another', 'update', stable(rejected({ name: 'a.b' })), 'Drift', false],
  [
    'reconciled, rejections not readable',
    'update',
    stable({ [ANNOTATIONS.rejections]: '{' }),
    'Rejected',
    false,
  ],
  ['not yet observed, with a rejection', 'update', changed(rejected()), 'Reconciling', true],
  ['not yet observed, with a rejection', 'delete', changed(rejected()), 'Rejected', false],
  ['approved once', 'delete', stable(approved(ONCE)), 'Approved', true],
  ['approved once, not yet observed', 'delete', changed(approved(ONCE)), 'Approved', true],
  [
    'approved once, for an older generation',
    'update',
    stable(approved({ ...ONCE, generation: 2 })),
    'Drift',
    false,
  ],
  [
    'approved for its generation',
    'replace',
    stable(approved({ ...ONCE, mode: 'generation' })),
    'Approved',
    true,
  ],
  ['approved always', 'replace', stable(approved({ mode: 'always' })), 'Approved', true],
  [
    'approved, expired',
    'update',
    stable(approved({ mode: 'always', expiry: '2026-01-01T10:00:00Z' })),
    'Drift',
    false,
  ],
  ['all approved', 'update', stable(approved({ ...EVERYTHING, mode: 'always' })), 'Approved', true],
  ['all of a type approved', 'update', stable(approved({ name: '*', mode: 'always' })), 'Approved', true],
  ['another type approved', 'update', stable(approved({ kind: 'aws_db', mode: 'always' })), 'Drift', false],
  [
    'a kind of the cluster approved',
    'update',
    stable(approved({ apiVersion: 'v1', mode: 'always' })),
    'Drift',
    false,
  ],
])('%s: %s of a resource of %j is %s', (_state, action, parent, reason, allowed) => {
  expect(decidePlan(one(action), parent, NOW)).toMatchObject({
    allowed,
    changes: [{ allowed, verdict: { reason } }],
  });
});

test('a plan that changes nothing is allowed, whatever its parent is', () => {
  expect(decidePlan(planOf({}), stable(frozen), NOW)).toEqual({ allowed: true, changes: [] });
});

test('a refresh uses no approval up, and is none that a plan would need one for', () => {
  expect(decidePlan(one('refresh'), stable(approved(ONCE)), NOW)).not.toHaveProperty('reserved');
});

test('an output follows the resources that change beside it, unless it is rejected or nothing else changes', () => {
  const both = planOf({ 'aws_instance.web': 'update', 'output.url': 'set output' });
  const outputs = planOf({ 'output.url': 'set output', 'output.old': 'remove output' });
  const url = { apiVersion: 'terraform', kind: 'output', name: 'output.url' };
  expect(reasons(both, stable(approved(ONCE)))).toEqual(['Approved', 'FollowsResources']);
  expect(reasons(both, stable(rejected(url)))).toEqual(['Drift', 'Rejected']);
  expect(reasons(outputs, stable(approved({ ...url, ...ONCE })))).toEqual(['Approved', 'Drift']);
});

test('a move is rejected under both of its addresses', () => {
  const move = { address: 'aws_instance.web', action: 'move', movedFrom: 'aws_instance.old' } as const;
  const plan = { ...one('move'), changes: [move] };
  expect(reasons(plan, stable(rejected({ name: 'aws_instance.old' })))).toEqual(['Rejected']);
  expect(reasons(plan, stable(rejected()))).toEqual(['Rejected']);
  expect(reasons(plan, stable(rejected({ name: 'aws_instance.other' })))).toEqual(['Drift']);
});

test('a plan is allowed as a whole: if one change is denied, nothing is reserved for the others', () => {
  const decision = decidePlan(
    planOf({ 'aws_instance.web': 'update', 'aws_db.main': 'delete' }),
    stable(approved(ONCE)),
    NOW,
  );
  expect(decision.allowed).toBe(false);
  expect(decision.changes.map(({ allowed }) => allowed)).toEqual([true, false]);
  expect(decision).not.toHaveProperty('reserved');
});

/** The parent with what a plan has reserved. */
function after(plan: Plan, parent: KubeObject): KubeObject {
  const { reserved } = decidePlan(plan, parent, NOW);
  if (reserved === undefined) return expect.unreachable('nothing is reserved');
  return withAnnotations(parent, {
    ...parent.metadata.annotations,
    [ANNOTATIONS.approvals]: formatApprovals(reserved),
  });
}

test('once is once: the plan that used it may be checked again, and no other may use it', () => {
  const parent = after(one('delete'), stable(approved(ONCE)));
  expect(JSON.parse(parent.metadata.annotations?.[ANNOTATIONS.approvals] ?? '')).toEqual([
    { ...WEB, ...ONCE, reservedFor: { ...WEB, uid: 'plan-1' } },
  ]);
  expect(decidePlan(one('delete'), parent, NOW)).not.toHaveProperty('reserved');
  expect(reasons(one('delete'), parent)).toEqual(['Approved']);
  expect(reasons({ ...one('delete'), id: 'plan-2' }, parent)).toEqual(['Drift']);
});

test('an approval of mode once for all resources is for one of them', () => {
  const both = planOf({ 'aws_instance.web': 'update', 'aws_db.main': 'update' });
  const parent = stable(approved({ ...EVERYTHING, ...ONCE }));
  expect(reasons(both, parent)).toEqual(['Approved', 'Drift']);
  const two = stable(approved({ ...EVERYTHING, ...ONCE }, { ...DB, ...ONCE }));
  expect(reasons(both, two)).toEqual(['Approved', 'Approved']);
  expect(reasons(both, after(both, two))).toEqual(['Approved', 'Approved']);
});

test('the same approval twice, once reserved by somebody, is still one', () => {
  const open = { ...EVERYTHING, ...ONCE };
  const parent = stable(approved({ ...open, reservedFor: { ...WEB, uid: 'plan-1' } }, open));
  expect(reasons(planOf({ 'aws_instance.web': 'update', 'aws_db.main': 'update' }), parent)).toEqual([
    'Approved',
    'Drift',
  ]);
});

test('what lasts is preferred, and a plan that does not say when it was made uses nothing up', () => {
  const lasting = stable(approved(ONCE, { mode: 'always' }));
  expect(decidePlan(one('delete'), lasting, NOW)).not.toHaveProperty('reserved');
  const { timestamp: _none, ...untimed } = one('delete');
  expect(reasons(untimed, stable(approved(ONCE)))).toEqual(['Drift']);
  expect(reasons(untimed, lasting)).toEqual(['Approved']);
});
