import type { KubeObject } from '@kubewright/kube';
import { beforeEach, describe, expect, test } from 'vitest';
import { ANNOTATIONS, type BrakeSpec, type Mode } from '../api.ts';
import { decideAdmission } from '../decide/decide-admission.ts';
import type { Review } from '../decide/review.ts';
import { approvals, child, create, NOW, remove, site, update } from '../testing/objects.ts';
import { type Brake, createBrake } from './create-brake.ts';

const LIMITS: BrakeSpec = { drifts: 2, deletes: 2, window: '10m' };
const MINUTE = 60_000;

let now: number;
let brake: Brake;

beforeEach(() => {
  now = NOW.getTime();
  brake = createBrake(() => now);
});

function count(review: Review, parent: KubeObject = site(), mode: Mode = 'enforce', limits = LIMITS) {
  const facts = { parent, mode, isEnding: false };
  const decision = decideAdmission(review, facts, new Date(now));
  return brake.count({ review, facts, decision }, limits);
}

const one = (name: string, uid = name): KubeObject => child({ metadata: { name, uid } });
const drift = (name: string): Review => update(one(name));
const reconciling = (): KubeObject => site({ metadata: { generation: 4 } });

describe('a brake', () => {
  test('stops at one drift more than its limit, and names what it is about', () => {
    expect(count(drift('a'))).toBeUndefined();
    expect(count(drift('b'))).toBeUndefined();
    const place = { apiVersion: 'example.com/v1', kind: 'Site', namespace: 'shop', name: 'web' };
    expect(count(drift('c'))).toEqual({
      counted: 'drifts',
      limit: 2,
      window: '10m',
      origin: { ...place, user: '' },
      tree: [place],
    });
  });

  test('counts a change that is repeated once', () => {
    for (let times = 0; times < 10; times++) expect(count(drift('a'))).toBeUndefined();
    for (let times = 0; times < 10; times++) expect(count(create(one('new')))).toBeUndefined();
    expect(count(drift('c'))).toBeDefined();
  });

  test('forgets what is older than its window', () => {
    count(drift('a'));
    now += 6 * MINUTE;
    count(drift('b'));
    now += 6 * MINUTE;
    expect(count(drift('c'))).toBeUndefined();
    expect(count(drift('d'))).toBeDefined();
  });

  test('begins again once it has stopped', () => {
    for (const name of ['a', 'b', 'c']) count(drift(name));
    expect(count(drift('d'))).toBeUndefined();
    expect(count(drift('e'))).toBeUndefined();
    expect(count(drift('f'))).toBeDefined();
  });

  test('counts all parents of one origin together, and names them with the origin', () => {
    const trace = JSON.stringify([
      { apiVersion: 'example.com/v1', kind: 'App', name: 'shop', user: 'alice' },
    ]);
    const part = (name: string): KubeObject =>
      site({ metadata: { name, uid: name }, annotations: { [ANNOTATIONS.trace]: trace } });
    count(drift('a'), part('east'));
    count(drift('b'), part('west'));
    const braked = count(drift('c'), part('east'));
    expect(braked?.origin).toMatchObject({ kind: 'App', name: 'shop', namespace: 'shop', user: 'alice' });
    expect(braked?.tree.map(({ kind, name }) => `${kind} ${name}`)).toEqual([
      'App shop',
      'Site east',
      'Site west',
    ]);
  });

  test('other origins have their own count', () => {
    count(drift('a'));
    count(drift('b'));
    expect(count(drift('c'), site({ metadata: { name: 'other', uid: 'p-2' } }))).toBeUndefined();
  });

  test('counts deletions by the controller that go through, expected or not', () => {
    expect(count(remove(one('a')), reconciling())).toBeUndefined();
    expect(count(remove(one('b')), site(), 'log')).toBeUndefined();
    expect(count(remove(one('c')), reconciling())).toMatchObject({ counted: 'deletes', limit: 2 });
  });

  test('counts no deletion by a person, none that is denied, approved, or goes with its parent', () => {
    const gone = site({ metadata: { deletionTimestamp: '2026-01-01T09:00:00Z' } });
    const approved = site({ annotations: approvals({ name: '*', mode: 'always' }) });
    for (const name of ['a', 'b', 'c', 'd']) {
      expect(count(remove(one(name), 'alice'), reconciling())).toBeUndefined();
      expect(count(remove(one(name)), gone)).toBeUndefined();
      expect(count(remove(one(name)), approved)).toBeUndefined();
      expect(count(remove(one(name)), site(), 'enforce', { deletes: 1, window: '10m' })).toBeUndefined();
    }
  });

  test('counts what its policy limits, and nothing else', () => {
    for (const name of ['a', 'b', 'c', 'd'])
      expect(count(drift(name), site(), 'enforce', { deletes: 1, window: '1h' })).toBeUndefined();
    for (const name of ['a', 'b', 'c', 'd'])
      expect(brake.count({ review: drift(name), ...decided(drift(name)) }, undefined)).toBeUndefined();
  });

  test('a trace that nobody can read has the parent as its origin', () => {
    const parent = site({ annotations: { [ANNOTATIONS.trace]: '[{"kind":7}]' } });
    for (const name of ['a', 'b']) count(drift(name), parent);
    expect(count(drift('c'), parent)?.origin).toMatchObject({ kind: 'Site', name: 'web' });
  });
});

function decided(review: Review) {
  const facts = { parent: site(), mode: 'enforce', isEnding: false } as const;
  return { facts, decision: decideAdmission(review, facts, NOW) };
}
