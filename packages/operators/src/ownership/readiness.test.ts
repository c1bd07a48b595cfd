import type { JsonObject, Stored } from '@kubewright/kube';
import { expect, test } from 'vitest';
import { readinessChecks, readySince } from './readiness.ts';

const now = new Date(Date.UTC(2026, 0, 2));
const NOW = '2026-01-02T00:00:00Z';
const condition = (type: string, lastTransitionTime: string): JsonObject => ({
  type,
  status: 'True',
  reason: 'Because',
  lastTransitionTime,
});
const live: Stored = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'c', uid: 'u', resourceVersion: '1' },
  data: { phase: 'done' },
  status: {
    replicas: 3,
    conditions: [
      condition('Ready', '2026-01-01T10:00:00Z'),
      condition('Late', '2026-01-01T12:00:00Z'),
      condition('Odd', 'yesterday'),
      { ...condition('False', '2026-01-01T10:00:00Z'), status: 'False' },
    ],
  },
};
const conditions = (type: string): string => `self.status.conditions.filter(c, c.type == '${type}')`;
const since = (checks: Readonly<Record<string, string>>, object: Stored | undefined = live) => {
  const annotations = Object.entries(checks).map(([name, text]) => [`eno.azure.io/readiness${name}`, text]);
  return readySince(readinessChecks(Object.fromEntries(annotations)), object, now);
};

test.each<[what: string, checks: Readonly<Record<string, string>>, ready: string | undefined]>([
  ['no check', {}, NOW],
  ['true', { '': "self.data.phase == 'done'" }, NOW],
  ['false', { '': "self.data.phase == 'begun'" }, undefined],
  ['a number compared', { '': 'self.status.replicas == 3' }, NOW],
  ['a field that is not there', { '': 'self.status.missing == 1' }, undefined],
  ['another type than bool', { '': "'yes'" }, undefined],
  ['one of two', { '': 'true', '-b': 'false' }, undefined],
  ['both of two', { '-a': 'true', '-b': 'true' }, NOW],
  ['the group, which is no check', { '-group': '1' }, NOW],
  ['an expression that does not compile, which is ignored', { '': 'self.(' }, NOW],
  ['one that does not compile beside another', { '': 'self.(', '-b': 'false' }, undefined],
  ['a condition, at its time', { '': conditions('Ready') }, '2026-01-01T10:00:00Z'],
  ['the later of two', { '-a': conditions('Ready'), '-b': conditions('Late') }, '2026-01-01T12:00:00Z'],
  ['a precise time before now', { '-a': conditions('Ready'), '-b': 'true' }, '2026-01-01T10:00:00Z'],
  ['a condition that is False', { '': conditions('False') }, undefined],
  ['a condition that is not there', { '': conditions('None') }, undefined],
  ['a condition without a readable time', { '': conditions('Odd') }, NOW],
])('readiness by %s', (_what, checks, ready) => {
  expect(since(checks)).toBe(ready);
});

test('an object that does not exist is not ready, unless nothing is checked', () => {
  expect(readySince(readinessChecks({}), undefined, now)).toBe(NOW);
  expect(readySince(readinessChecks({ 'eno.azure.io/readiness': 'true' }), undefined, now)).toBeUndefined();
});

const text = 'a'.repeat(60);
const hostile: Stored = {
  ...live,
  data: { text, many: Array.from({ length: 3000 }, (_, i) => `${text}${i}`) },
};

test.each([
  "self.data.text.matches('^(a|a?)+$b')",
  "self.data.text.matches('^(([a-z])+.)+[A-Z]([a-z])+$')",
  'self.data.many.all(a, self.data.many.all(b, a != b || a == b))',
  "self.data.many.all(a, a.matches('^(a|aa)+[0-9]+$'))",
  "self.data.many.exists(a, 'b'.matches('(a{9}|' + a + '){99}'))",
  "self.data.many.map(a, self.data.many).map(b, b.join('')).size() > 0",
])('a check that would take for ever is stopped, and does not pass: %s', (check) => {
  expect(since({ '': check }, hostile)).toBeUndefined();
});

test('the checks of one object are stopped together', () => {
  const check = 'self.data.many.all(a, self.data.text != a && self.data.text != a)';
  expect(since({ '': check }, hostile)).toBe(NOW);
  const many = Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`-${i}`, check]));
  expect(since(many, hostile)).toBeUndefined();
});
