import type { JsonObject, KubeObject } from '@kubewright/kube';
import { expect, test } from 'vitest';
import { ANNOTATIONS } from '../api.ts';
import { CTL, child, decided, site, traceIn, update, users, withAnnotations } from '../testing/objects.ts';

const HOP = { apiVersion: 'example.com/v1', kind: 'Site', name: 'web', timestamp: '2026-01-01T09:59:00Z' };
const BY_ALICE = { [ANNOTATIONS.trace]: JSON.stringify([{ ...HOP, generation: 3, user: 'alice' }]) };
const WANTED: JsonObject = { color: 'red', font: { size: 12 }, pages: ['a'] };

/** A Site as alice has just changed it: its controller has not seen that yet. */
const changed = (fields: Parameters<typeof site>[0] = {}): KubeObject =>
  site({ annotations: BY_ALICE, spec: WANTED, status: { observedGeneration: 2 }, ...fields });
const write = (old: KubeObject, spec: JsonObject, user = CTL, parent?: KubeObject) =>
  traceIn(decided(update(old, { object: { ...old, spec }, user }), parent)).map((hop) => hop.user);
const FILLED = { ...WANTED, replicas: 1, font: { size: 12, face: 'serif' } };

test('a person stays the cause where the controller fills in defaults, however often it does', () => {
  expect(write(changed(), FILLED)).toEqual(['alice', CTL]);
  const object = { ...changed(), spec: FILLED };
  const { annotations = {} } = decided(update(changed(), { object }), undefined);
  expect(write(withAnnotations(object, annotations), { ...FILLED, more: 'x' })).toEqual(['alice', CTL]);
});

test('so does a person where nobody has written the status yet', () => {
  const fresh = changed({ annotations: { ...BY_ALICE, [ANNOTATIONS.controllers]: '' }, status: {} });
  expect(write(fresh, FILLED)).toEqual(['alice', CTL]);
});

test.each<[string, KubeObject, JsonObject, string]>([
  ['changes a field', changed(), { ...FILLED, color: 'blue' }, CTL],
  ['changes a list', changed(), { ...FILLED, pages: ['a', 'b'] }, CTL],
  ['removes a field', changed(), { color: 'red', more: 'x' }, CTL],
  ['comes once all is done', changed({ status: { observedGeneration: 3 } }), FILLED, CTL],
  ['is by a person', changed(), FILLED, 'bob'],
  ['is by another service account', changed(), FILLED, 'system:serviceaccount:ci:deploy'],
  [
    'is of a kind without a status, by anybody',
    changed({
      annotations: { ...BY_ALICE, [ANNOTATIONS.controllers]: '' },
      metadata: { generation: undefined },
    }),
    FILLED,
    CTL,
  ],
])('a write that %s is a new cause', (_what, old, spec, user) => {
  expect(write(old, spec, user)).toEqual([user]);
});

test("of a child, only its own controller continues the trace: its parent's begins one", () => {
  const provider = 'system:serviceaccount:shop:provider';
  const old = child({
    annotations: { ...BY_ALICE, [ANNOTATIONS.controllers]: users(provider, CTL) },
    spec: WANTED,
  });
  expect(write(old, FILLED, provider, site())).toEqual(['alice', provider]);
  expect(decided(update(old, { object: { ...old, spec: FILLED } }), site(), 'log').reason).toBe('Drift');
  const parent = site();
  const object = { ...old, spec: FILLED };
  expect(traceIn(decided(update(old, { object }), parent, 'log')).map(({ user }) => user)).toEqual([CTL]);
});
