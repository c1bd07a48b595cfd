import type { KubeObject } from '@kubewright/kube';
import { expect, test } from 'vitest';
import { ANNOTATIONS, type Approval } from '../api.ts';
import { approvalId, approvalsOf } from '../annotations/find-approval.ts';
import {
  approvals,
  child,
  create,
  decided,
  remove,
  site,
  update,
  withAnnotations,
} from '../testing/objects.ts';
import { reserveApprovals } from './reserve-approvals.ts';
import type { Review } from './review.ts';

const ONCE = { mode: 'once', generation: 3 } as const;
const approved = (fields: Partial<Approval> = {}) => site({ annotations: approvals({ ...ONCE, ...fields }) });
const reserve = (review: Review, parent: KubeObject) =>
  reserveApprovals(review, parent, decided(review, parent));
const other = child({ metadata: { name: 'other', uid: 'c-2' } });

/** The parent once it has what has to be on it before this write. */
function after(review: Review, parent: KubeObject): KubeObject {
  const text = reserve(review, parent);
  if (text === undefined || text === null) return expect.unreachable('nothing is reserved');
  return withAnnotations(parent, { ...parent.metadata.annotations, [ANNOTATIONS.approvals]: text });
}

const reasons = (parent: KubeObject, ...reviews: readonly Review[]): readonly string[] =>
  reviews.map((review) => decided(review, parent).reason);

test('DRF-60 what an update of one child uses, the child remembers: the same call again is the same', () => {
  const parent = approved();
  const first = decided(update(child()), parent);
  expect(reserve(update(child()), parent)).toBeUndefined();
  // The write met a conflict: the child is another one by now, and has used nothing.
  const meanwhile = child({ metadata: { labels: { a: 'b' } } });
  const second = decided(update(meanwhile), parent);
  expect(second).toMatchObject({ reason: 'Approved', annotations: first.annotations });
  const stored = withAnnotations(meanwhile, second.annotations ?? {});
  expect(reasons(parent, update(stored), remove(stored))).toEqual(['Drift', 'Drift']);
});

test('DRF-50 what a deletion uses, the parent remembers: it is for that child alone, and nothing may follow', () => {
  const parent = after(remove(child()), approved());
  expect(approvalsOf(parent)[0]?.reservedFor).toEqual({
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    namespace: 'shop',
    name: 'web',
    uid: 'c-1',
  });
  const another = child({ metadata: { uid: 'c-9' } });
  expect(reasons(parent, remove(child()), create(child()), update(child()), remove(another))).toEqual([
    'Approved',
    'Drift',
    'Drift',
    'Drift',
  ]);
  expect(reserve(remove(child()), parent)).toBeUndefined();
});

test('DRF-50 an approval for several children is for the first that uses it', () => {
  const parent = after(update(child()), approved({ name: '*' }));
  expect(reasons(parent, update(child()), update(other), remove(child()))).toEqual([
    'Approved',
    'Drift',
    'Drift',
  ]);
  const always = approved({ name: '*', mode: 'always' });
  expect(reserve(update(child()), always)).toBeUndefined();
});

test('DRF-50 a parent without a namespace may own two of a name: an approval is for one of them', () => {
  const { namespace: _none, ...metadata } = approved().metadata;
  const parent = after(update(child()), { ...approved(), metadata });
  const elsewhere = child({ metadata: { namespace: 'other' } });
  expect(reasons(parent, update(child()), update(elsewhere))).toEqual(['Approved', 'Drift']);
});

test('a child whose name is still to come uses up what is for several', () => {
  const generated = child({ metadata: { generateName: 'web-', name: undefined } });
  expect(reserve(create(generated), approved({ name: '*' }))).toBeNull();
  expect(reserve(create(generated), approved({ name: 'web-*' }))).toBeNull();
});

test('DRF-50 an approval for a prefix of names is for the first that uses it', () => {
  const parent = after(update(child()), approved({ name: 'w*' }));
  expect(reasons(parent, update(child()), update(child({ metadata: { name: 'www' } })))).toEqual([
    'Approved',
    'Drift',
  ]);
});

test('DRF-50 what a child has used goes before the child does, whoever deletes it', () => {
  const parent = approved();
  const [approval] = approvalsOf(parent);
  const used = { [ANNOTATIONS.usedApprovals]: approval === undefined ? '' : approvalId(approval) };
  const stored = child({ annotations: used });
  expect(reserve(remove(stored, 'alice'), parent)).toBeNull();
  expect(reserve(update(stored, { user: 'alice' }), parent)).toBeUndefined();
  // What is denied reserves nothing.
  expect(reserve(remove(stored), parent)).toBeUndefined();
});

test('to reserve an approval does not make another one of it', () => {
  const [approval] = approvalsOf(approved());
  const [reserved] = approvalsOf(after(remove(child()), approved()));
  expect(approval && approvalId(approval)).toBe(reserved && approvalId(reserved));
});
