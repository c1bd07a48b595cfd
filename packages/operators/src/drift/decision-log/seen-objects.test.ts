import type { KubeObject } from '@kubewright/kube';
import { expect, test } from 'vitest';
import { child, create, remove, site, update } from '../testing/objects.ts';
import { seenObjects } from './seen-objects.ts';

const read = (text: string | undefined): unknown => JSON.parse(text ?? 'null');
const CONTAINER = { name: 'web', image: 'web:1', env: [{ name: 'PW', value: 'hunter2' }] };

test('the log keeps the child before and after, and its parent', () => {
  const seen = seenObjects(update(child()), site());
  expect(read(seen.old)).toMatchObject({ kind: 'ReplicaSet', spec: { replicas: 3 } });
  expect(read(seen.new)).toMatchObject({ spec: { replicas: 5 } });
  expect(read(seen.parent)).toMatchObject({ kind: 'Site', status: { observedGeneration: 3 } });
  expect(Object.keys(seenObjects(create(child()), site()))).toEqual(['new', 'parent']);
  expect(Object.keys(seenObjects(remove(child()), undefined))).toEqual(['old']);
});

test('values that may be secret are numbers: the same ones where they are equal', () => {
  const annotations = { 'team.example.com/pin': 'hunter2' };
  const old = child({
    annotations,
    spec: { containers: [CONTAINER], adminPassword: 'hunter3', size: 'big' },
  });
  const seen = seenObjects(update(old, { object: old }), undefined);
  expect(JSON.stringify(seen)).not.toContain('hunter');
  expect(seen.new).toBe(seen.old);
  const { spec, metadata } = read(seen.old) as KubeObject & { readonly spec: Record<string, unknown> };
  expect(spec).toMatchObject({ adminPassword: expect.stringMatching(/^hidden-\d$/) as string, size: 'big' });
  expect(spec['containers']).toMatchObject([
    { image: 'web:1', env: [{ value: metadata.annotations?.['team.example.com/pin'] }] },
  ]);
});

test('a Secret is not kept, and neither is what only servers and kubectl keep', () => {
  const secret = { ...child(), apiVersion: 'v1', kind: 'Secret', data: { a: 'aHVudGVyMg==' } };
  expect(Object.keys(seenObjects(update(secret, { object: secret }), site()))).toEqual(['parent']);
  const applied = child({
    annotations: { 'kubectl.kubernetes.io/last-applied-configuration': '{}' },
    metadata: { managedFields: [{ manager: 'me' }] },
  });
  expect(seenObjects(remove(applied), undefined).old).not.toMatch(/last-applied|managedFields/);
});

test.each<[string, unknown]>([
  ['too large', { text: 'x'.repeat(5000) }],
  ['too many', Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`k${index}`, index]))],
  ['too deep', Array.from({ length: 60 }).reduce<unknown>((inner) => ({ inner }), 1)],
])('of an object that is %s, nothing is kept', (_what, spec) => {
  const old = child({ spec });
  expect(seenObjects(remove(old), undefined)).toEqual({});
});

test('keys of a prototype are keys', () => {
  const spec = JSON.parse('{"__proto__":{"a":1}}') as object;
  expect(seenObjects(remove(child({ spec })), undefined).old).toContain('"__proto__":{"a":1}');
});
