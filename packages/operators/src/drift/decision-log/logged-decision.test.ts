import type { AdmissionRequest } from '@kubewright/runtime';
import { describe, expect, test } from 'vitest';
import { ANNOTATIONS, type Hop } from '../api.ts';
import { decideAdmission } from '../decide/decide-admission.ts';
import type { Review } from '../decide/review.ts';
import { approvals, child, create, NOW, remove, site, update } from '../testing/objects.ts';
import { loggedDecision } from './logged-decision.ts';

const hop = (fields: Partial<Hop> = {}): Hop => ({
  apiVersion: 'example.com/v1',
  kind: 'Site',
  name: 'web',
  generation: 3,
  user: 'alice',
  timestamp: '2026-01-01T09:00:00Z',
  ...fields,
});
const traced = (...hops: readonly Hop[]) => ({ [ANNOTATIONS.trace]: JSON.stringify(hops) });
const parent = site({ annotations: traced(hop({ labels: { ticket: 'J-1' } })) });

function logged(review: Review, owner: typeof parent | undefined = parent) {
  const facts = { parent: owner, mode: 'enforce', isEnding: false } as const;
  const decision = decideAdmission(review, facts, NOW);
  return loggedDecision({ request: {} as AdmissionRequest, review, facts, decision }, NOW);
}

describe('what is logged of a decision', () => {
  test('drift: who wanted to change which fields of what, and why its parent is as it is', () => {
    expect(logged(update(child()))).toEqual({
      time: '2026-01-01T10:00:00Z',
      times: 1,
      operation: 'UPDATE',
      object: { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid: 'c-1' },
      parentGeneration: 3,
      user: 'system:serviceaccount:shop:site-controller',
      reason: 'Drift',
      allowed: false,
      mode: 'enforce',
      fields: ['spec.replicas'],
      trace: [hop({ labels: { ticket: 'J-1' } })],
      hops: 1,
      seen: {
        old: expect.stringContaining('"replicas":3') as string,
        new: expect.stringContaining('"replicas":5') as string,
        parent: expect.stringContaining('"kind":"Site"') as string,
      },
    });
  });

  test('an expected change: the trace that the object gets', () => {
    const entry = logged(update(child()), site({ annotations: traced(hop()), status: {} }));
    expect(entry).toMatchObject({ reason: 'Reconciling', allowed: true, hops: 2 });
    expect(entry?.trace.map(({ user }) => user)).toEqual([
      'alice',
      'system:serviceaccount:shop:site-controller',
    ]);
  });

  test('approved drift: the approval, without the object that it names', () => {
    const by = { generation: 3, mode: 'always', by: 'bob', at: 'then' };
    const entry = logged(update(child()), site({ annotations: approvals(by) }));
    expect(entry).toMatchObject({ reason: 'Approved', approval: { mode: 'always', by: 'bob', at: 'then' } });
  });

  test('a creation has no uid yet, and a generated name is a pattern', () => {
    const { name: _name, ...metadata } = child().metadata;
    const entry = logged(create({ ...child(), metadata: { ...metadata, generateName: 'web-' } }));
    expect(entry?.object).toEqual({ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web-*' });
    expect(entry?.fields).toEqual([]);
  });

  test.each<[string, Review, typeof parent | undefined]>([
    ['metadata', update(child(), { object: child({ metadata: { labels: { a: 'b' } } }) }), parent],
    ['a status', update(child(), { isStatus: true }), parent],
    ['what is deleted with its parent', remove(child()), site({ metadata: { deletionTimestamp: 'now' } })],
    ['a deletion of what nothing owns', remove(child(), 'alice'), undefined],
    ['its own objects', update({ ...child(), apiVersion: 'kausality.io/v1alpha1' }), parent],
  ])('not: %s', (_what, review, owner) => {
    const facts = { parent: owner, mode: 'enforce', isEnding: false } as const;
    const decision = decideAdmission(review, facts, NOW);
    const change = { request: {} as AdmissionRequest, review, facts, decision };
    expect(loggedDecision(change, NOW)).toBeUndefined();
  });

  test('many changed fields become those above them, and keys of any kind stay readable', () => {
    const many = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`k${index}`, 'v']));
    const object = child({ spec: { a: many, 'b.c/d': 1 } });
    expect(logged(update(child({ spec: {} }), { object }))?.fields).toEqual(['spec.a', 'spec[b.c/d]']);
    const wide = child({ spec: { ...many, ['x'.repeat(1000)]: 1 } });
    expect(logged(update(child({ spec: {} }), { object: wide }))?.fields).toEqual(['spec']);
  });

  test('of a long trace with long labels, the first hop and the last two, cut', () => {
    const hops = Array.from({ length: 9 }, (_, index) =>
      hop({ generation: index, labels: { note: 'x'.repeat(1e4) }, user: 'u'.repeat(1e4) }),
    );
    const entry = logged(update(child()), site({ annotations: traced(...hops) }));
    expect(entry?.trace.map(({ generation }) => generation)).toEqual([0, 7, 8]);
    expect(entry?.hops).toBe(9);
    expect(JSON.stringify(entry).length).toBeLessThan(3000);
  });

  test('a trace that somebody filled with other types is read as text', () => {
    const odd = JSON.stringify([{ kind: 7, user: {}, labels: { a: 1, __proto__: 'x' }, generation: 'no' }]);
    const entry = logged(update(child()), site({ annotations: { [ANNOTATIONS.trace]: odd } }));
    expect(entry?.trace).toEqual([
      { apiVersion: '', kind: '', name: '', generation: 0, user: '', timestamp: '' },
    ]);
  });
});
