import { expect, test } from 'vitest';
import type { Json, KubeObject } from '@kubewright/kube';
import { holdsValues } from './holds-values.ts';

function object(spec: Json, labels: Readonly<Record<string, string>> = {}): KubeObject {
  const pod: KubeObject & { readonly spec: Json } = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'a', labels },
    spec,
  };
  return pod;
}

test.each<[what: string, wanted: Json, live: Json]>([
  ['the same', { a: 1 }, { a: 1 }],
  ['defaults beside it', { a: 1 }, { a: 1, b: 2 }],
  ['quantities in another form', { cpu: '1000m', memory: 0.5 }, { cpu: '1', memory: '500m' }],
  ['empty values that the server leaves out', { a: '', b: [], c: { d: {} }, e: null, f: 0, g: false }, {}],
  [
    'items in another order, and others between',
    [{ name: 'a' }, { name: 'b' }],
    [{ name: 'x' }, { name: 'b' }, { name: 'a' }],
  ],
])('an object holds the values of its manifest: %s', (_what, wanted, live) => {
  expect(holdsValues(object(wanted), object(live))).toBe(true);
});

test.each<[what: string, wanted: Json, live: Json]>([
  ['another value', { a: 'x' }, { a: 'y' }],
  ['another of the prototype', { toString: 'x' }, {}],
  ['none', { a: 'x' }, {}],
  ['another type', { a: { b: 1 } }, { a: [1] }],
  ['an item that is not there', [{ name: 'a' }], [{ name: 'b' }]],
  ['another number', { replicas: 3 }, { replicas: 2 }],
])('an object does not hold the values of its manifest where it has %s', (_what, wanted, live) => {
  expect(holdsValues(object(wanted), object(live))).toBe(false);
});

test('labels and annotations count, and what else the manifest says of itself does not', () => {
  const live = object({}, { app: 'web' });
  expect(holdsValues(object({}, { app: 'web' }), live)).toBe(true);
  expect(holdsValues(object({}, { app: 'shop' }), live)).toBe(false);
  const owned = { ...object({}), metadata: { name: 'a', finalizers: ['x'] } };
  expect(holdsValues(owned, live)).toBe(true);
});
