import { describe, expect, test } from 'vitest';
import { decideLog } from './decide-log.ts';
import type { DecisionLog, LoggedDecision } from './decision-logs.ts';
import { mergeDecisions } from './merge-decisions.ts';
import type { Pending } from './pending-decisions.ts';

const entry = (fields: Partial<LoggedDecision> = {}): LoggedDecision => ({
  time: '2026-01-01T10:00:00Z',
  times: 1,
  operation: 'UPDATE',
  object: { apiVersion: 'v1', kind: 'ConfigMap', name: 'web', uid: 'c-1' },
  user: 'ctl',
  reason: 'Drift',
  allowed: false,
  mode: 'enforce',
  fields: ['data.color'],
  trace: [],
  hops: 0,
  ...fields,
});
const metadata = { name: 'web', namespace: 'shop', uid: 'p-1', resourceVersion: '1', creationTimestamp: '' };
const parent = { apiVersion: 'example.com/v1', kind: 'Site', metadata };
const content = (hash: string) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  name: 'web',
  inputs: 'i',
  content: hash,
});
const pending: Pending = {
  place: { apiVersion: 'example.com/v1', kind: 'Site', namespace: 'shop', name: 'web' },
  uid: 'p-1',
  decisions: [entry()],
  contents: [content('a')],
  isRoutine: false,
  since: 0,
  batch: 1,
};
const log: DecisionLog = {
  apiVersion: 'kausality.io/v1alpha1',
  kind: 'DecisionLog',
  metadata,
  spec: {
    parent: { apiVersion: 'example.com/v1', kind: 'Site', name: 'web' },
    decisions: [entry({ times: 2, time: 'before' })],
  },
};
const decide = (observed: Partial<Parameters<typeof decideLog>[0]>): ReturnType<typeof decideLog> =>
  decideLog({ pending, age: 1000, limit: 50, parent, log: undefined, ...observed });

describe('what is written to a decision log', () => {
  test('waits for more of the same moment', () => {
    const none = { ...pending, contents: [] };
    expect(decide({ age: 400, pending: none })).toEqual({ reason: 'Waiting', requeueAfter: 600 });
    const routine = { ...none, isRoutine: true };
    expect(decide({ age: 400, pending: routine })).toEqual({ reason: 'Waiting', requeueAfter: 4600 });
    expect(decide({ age: 5000, pending: routine })).toMatchObject({ reason: 'Logged' });
  });

  test('DRF-142 what a spec has given first is written at once, and the next content of that child waits', () => {
    const known = (...contents: ReturnType<typeof content>[]) => ({
      ...log,
      spec: { ...log.spec, contents },
    });
    expect(decide({ age: 0 })).toMatchObject({ reason: 'Logged', action: { contents: [content('a')] } });
    expect(decide({ age: 0, log: known(content('b')) })).toMatchObject({ reason: 'Waiting' });
    const otherSpec = { ...content('b'), inputs: 'before' };
    expect(decide({ age: 0, log: known(otherSpec) })).toMatchObject({ reason: 'Logged' });
  });

  test('where a spec gives more than is remembered, what was forgotten waits as well', () => {
    const many = Array.from({ length: 100 }, (_, index) => ({ ...content('b'), name: `other${index}` }));
    const full = { ...log, spec: { ...log.spec, contents: many } };
    expect(decide({ age: 0, log: full })).toMatchObject({ reason: 'Waiting' });
    const ofBefore = many.map((one) => ({ ...one, inputs: 'before' }));
    const changed = { ...log, spec: { ...log.spec, contents: ofBefore } };
    expect(decide({ age: 0, log: changed })).toMatchObject({ reason: 'Logged' });
  });

  test('a log begins, or goes on', () => {
    expect(decide({})).toMatchObject({ reason: 'Logged', action: { decisions: [entry()] } });
    expect(decide({ log })).toMatchObject({ reason: 'Logged', action: { decisions: [entry({ times: 3 })] } });
  });

  test('what the controller has made is remembered beside what was there', () => {
    const before = { ...log, spec: { ...log.spec, contents: [content('a'), content('b')] } };
    expect(decide({ log: before }).action?.contents).toEqual([content('b'), content('a')]);
    expect(decide({}).action?.contents).toEqual([content('a')]);
  });

  test.each([
    ['another of its name', { parent: { ...parent, metadata: { ...metadata, uid: 'p-2' } } }],
    ['being deleted', { parent: { ...parent, metadata: { ...metadata, deletionTimestamp: 'now' } } }],
  ])('a parent that is gone has no log: %s', (_what, observed) => {
    expect(decide(observed)).toEqual({ reason: 'ParentGone' });
  });

  test('an object that was being created has whatever uid it got', () => {
    const { uid: _uid, ...created } = pending;
    expect(decide({ pending: created })).toMatchObject({ reason: 'Logged' });
  });
});

describe('a log with new decisions', () => {
  const named = (name: string, time = 't') =>
    entry({ object: { apiVersion: 'v1', kind: 'ConfigMap', name }, time });

  test('the same decision is one entry, as of its latest time; another cause is another entry', () => {
    const hop = { apiVersion: 'v1', kind: 'Site', name: 'web', user: 'alice', timestamp: '1' };
    const because = (user: string, timestamp: string) => entry({ trace: [{ ...hop, user, timestamp }] });
    const merged = mergeDecisions(
      [because('alice', '1'), named('other')],
      [because('alice', '2'), because('bob', '3')],
      50,
    );
    expect(merged).toEqual([named('other'), { ...because('alice', '2'), times: 2 }, because('bob', '3')]);
  });

  test('the oldest go first: by number, and by size', () => {
    const all = ['a', 'b', 'c'].map((name) => named(name));
    expect(mergeDecisions(all.slice(0, 2), all.slice(2), 2).map(({ object }) => object.name)).toEqual([
      'b',
      'c',
    ]);
    const large = Array.from({ length: 500 }, (_, index) =>
      entry({ user: String(index), fields: Array.from({ length: 20 }, () => 'x'.repeat(256)) }),
    );
    const kept = mergeDecisions([], large, 500);
    expect(JSON.stringify(kept).length).toBeLessThan(210_000);
    expect(kept.at(-1)?.user).toBe('499');
  });

  test('the objects of the oldest go before any entry, and equal decisions keep the latest', () => {
    const seen = (text: string) => ({ seen: { old: text.repeat(3900), new: text.repeat(3900) } });
    const all = Array.from({ length: 50 }, (_, index) => entry({ user: String(index), ...seen('x') }));
    const kept = mergeDecisions([], all, 50);
    expect(kept).toHaveLength(50);
    expect(JSON.stringify(kept).length).toBeLessThan(210_000);
    const first = kept.findIndex((one) => one.seen !== undefined);
    expect(first).toBeGreaterThan(0);
    expect(kept.slice(first).every((one) => one.seen !== undefined)).toBe(true);
    const twice = mergeDecisions([entry(seen('x'))], [entry(seen('y'))], 50);
    expect(twice).toEqual([entry({ ...seen('y'), times: 2 })]);
  });
});
