import { parseJson, type KubeObject, type Stored } from '@kubewright/kube';
import { expect, test } from 'vitest';
import { mergedWith } from './decide-merge.ts';

const map = (data: object, metadata: object = {}): Stored & { readonly data: object } => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'm', namespace: 'shop', uid: 'u', resourceVersion: '7', ...metadata },
  data,
});
const manifest = (more: object): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'm', namespace: 'shop' },
  ...more,
});

test('what the manifest had the last time goes, what others added stays', () => {
  const applied = '{"f:data":{"f:a":{},"f:b":{}},"f:metadata":{"f:labels":{"f:x":{}}}}';
  const live = map({ a: '1', b: '1', theirs: '1' }, { labels: { x: '1', y: '1' } });
  expect(mergedWith(manifest({ data: { a: '2' } }), live, { applied })).toMatchObject({
    metadata: { resourceVersion: '7', labels: { y: '1' } },
    data: { a: '2', theirs: '1' },
  });
  expect(mergedWith(manifest({ data: { a: '2' } }), live, { applied })).not.toHaveProperty('data.b');
});

test('a list of which an apply recorded items goes as a whole, unless the manifest has it', () => {
  const applied = '{"f:list":{"k:{\\"name\\":\\"a\\"}":{".":{},"f:name":{}}}}';
  const live = { ...map({}), list: [{ name: 'a' }, { name: 'b' }] };
  expect(mergedWith(manifest({}), live, { applied })).not.toHaveProperty('list');
  expect(mergedWith(manifest({ list: [{ name: 'c' }] }), live, { applied })).toMatchObject({
    list: [{ name: 'c' }],
  });
});

test('a field that became an object is not removed with what it was', () => {
  const applied = '{"f:spec":{"f:selector":{}}}';
  const live = { ...map({}), spec: { selector: { app: 'x' } } };
  expect(mergedWith(manifest({ spec: { selector: { app: 'y' } } }), live, { applied })).toMatchObject({
    spec: { selector: { app: 'y' } },
  });
});

test('a key __proto__ is data like others', () => {
  const data = parseJson('{"__proto__":"1"}') as object;
  const merged = mergedWith(manifest({ data }), map({}), {});
  expect(JSON.stringify(merged['data'])).toBe('{"__proto__":"1"}');
  const dropped = mergedWith(
    manifest({}),
    { ...map({}), data },
    {
      applied: '{"f:data":{"f:__proto__":{}}}',
    },
  );
  expect(JSON.stringify(dropped['data'])).toBe('{}');
});
