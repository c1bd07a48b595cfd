import { describe, expect, test } from 'vitest';
import { deepFreeze } from '../json/deep-freeze.ts';
import { isJsonObject, type Json, type JsonObject } from '../json/json.ts';
import { compileSchema } from '../schema/compile-schema.ts';
import { applyStrategicMergePatch } from './apply-strategic-merge-patch.ts';

const string = { type: 'string' };
const named = (patch: JsonObject, properties: JsonObject = {}): JsonObject => ({
  type: 'array',
  items: { type: 'object', properties: { name: string, ...properties } },
  ...patch,
});
const byName = { 'x-kubernetes-patch-merge-key': 'name', 'x-kubernetes-patch-strategy': 'merge' };

/** As much of a PodSpec as the stories need. */
const node = compileSchema({
  type: 'object',
  properties: {
    containers: named(byName, { image: string, env: named(byName, { value: string }) }),
    volumes: named(
      { ...byName, 'x-kubernetes-patch-strategy': 'merge,retainKeys' },
      { emptyDir: { type: 'object' }, configMap: { type: 'object' } },
    ),
    tolerations: named({}),
    finalizers: { type: 'array', items: string, 'x-kubernetes-patch-strategy': 'merge' },
    selector: { type: 'object', additionalProperties: string },
    nokey: named({ 'x-kubernetes-patch-strategy': 'merge' }),
  },
});

const apply = (document: JsonObject, patch: JsonObject): JsonObject =>
  applyStrategicMergePatch(deepFreeze(document), deepFreeze(patch), node);
const names = (value: Json | undefined): Json[] =>
  Array.isArray(value) ? value.map((item: Json) => (isJsonObject(item) ? (item['name'] ?? null) : item)) : [];

const pod = {
  containers: [{ name: 'nginx', image: 'nginx:1', env: [{ name: 'A', value: '1' }] }, { name: 'log' }],
};

describe('lists that merge by key', () => {
  test('an item of the same name is merged, the rest stays', () => {
    expect(apply(pod, { containers: [{ name: 'nginx', image: 'nginx:2' }] })).toEqual({
      containers: [{ name: 'nginx', image: 'nginx:2', env: [{ name: 'A', value: '1' }] }, { name: 'log' }],
    });
  });

  test('a new item comes before those that the patch does not name', () => {
    expect(names(apply(pod, { containers: [{ name: 'side' }] })['containers'])).toEqual([
      'side',
      'nginx',
      'log',
    ]);
  });

  test('an item is deleted by its name', () => {
    expect(apply(pod, { containers: [{ name: 'nginx', $patch: 'delete' }] })).toEqual({
      containers: [{ name: 'log' }],
    });
  });

  test('$patch: replace among the items makes the patch the whole list', () => {
    const patch = { containers: [{ $patch: 'replace' }, { name: 'only' }] };
    expect(apply(pod, patch)).toEqual({ containers: [{ name: 'only' }] });
  });

  test('lists inside items merge as well', () => {
    const patch = { containers: [{ name: 'nginx', env: [{ name: 'B', value: '2' }] }] };
    expect(apply(pod, patch)['containers']).toMatchObject([
      {
        env: [
          { name: 'B', value: '2' },
          { name: 'A', value: '1' },
        ],
      },
      { name: 'log' },
    ]);
  });

  test('an item without its key is refused', () => {
    expect(() => apply(pod, { containers: [{ image: 'x' }] })).toThrow(
      expect.objectContaining({
        code: 'UnmergeablePatch',
        message: 'map: map[image:x] does not contain declared merge key: name',
      }),
    );
  });

  test('items of different types are refused', () => {
    expect(() => apply(pod, { containers: ['a'] })).toThrow('list element types are not identical');
    expect(() => apply({ containers: [] }, { containers: [['a']] })).toThrow(
      'lists of lists are not supported',
    );
  });
});

describe('$setElementOrder', () => {
  const order = (...list: string[]): Json => list.map((name) => ({ name }));

  test('puts the list in order', () => {
    const patch = {
      '$setElementOrder/containers': order('log', 'side', 'nginx'),
      containers: [{ name: 'side' }],
    };
    expect(names(apply(pod, patch)['containers'])).toEqual(['log', 'side', 'nginx']);
  });

  test('what only the server has keeps its place as far as that goes', () => {
    const patch = { '$setElementOrder/containers': order('log') };
    expect(names(apply(pod, patch)['containers'])).toEqual(['nginx', 'log']);
  });

  test('orders a list that is new, and one of scalars', () => {
    const containers = {
      '$setElementOrder/containers': order('b', 'a'),
      containers: [{ name: 'b' }, { name: 'a' }],
    };
    expect(names(apply({}, containers)['containers'])).toEqual(['b', 'a']);
    const finalizers = { '$setElementOrder/finalizers': ['c', 'a'], finalizers: ['c'] };
    expect(apply({ finalizers: ['a', 'b'] }, finalizers)).toEqual({ finalizers: ['c', 'a', 'b'] });
  });

  test('must agree with the patch', () => {
    const patch = { '$setElementOrder/containers': order('a'), containers: [{ name: 'b' }] };
    expect(() => apply(pod, patch)).toThrow(
      "The order in patch list:\n[map[name:b]]\n doesn't match $setElementOrder list:\n[map[name:a]]\n",
    );
  });
});

describe('other lists', () => {
  test('scalars merge as a set', () => {
    expect(apply({ finalizers: ['a', 'b'] }, { finalizers: ['c', 'a'] })).toEqual({
      finalizers: ['c', 'a', 'b'],
    });
  });

  test('$deleteFromPrimitiveList takes scalars out', () => {
    expect(apply({ finalizers: ['a', 'b'] }, { '$deleteFromPrimitiveList/finalizers': ['a', 'x'] })).toEqual({
      finalizers: ['b'],
    });
    expect(() => apply({ finalizers: ['a'] }, { $deleteFromPrimitiveListX: ['a'] })).toThrow(
      expect.objectContaining({ code: 'MalformedPatch', message: 'invalid patch format of primitive list' }),
    );
  });

  test('without a strategy the patch replaces', () => {
    expect(apply({ tolerations: [{ name: 'a' }] }, { tolerations: [{ name: 'b' }] })).toEqual({
      tolerations: [{ name: 'b' }],
    });
  });

  test('objects that are to merge without a key are refused', () => {
    expect(() => apply({ nokey: [{ name: 'a' }] }, { nokey: [{ name: 'b' }] })).toThrow(
      'cannot merge lists without merge key',
    );
  });
});

describe('objects', () => {
  const document = { selector: { a: '1', b: '2' }, volumes: [{ name: 'v', emptyDir: {} }] };

  test('merge, and null removes', () => {
    expect(apply(document, { selector: { a: null, c: '3' } })['selector']).toEqual({ b: '2', c: '3' });
  });

  test('$patch: replace and delete', () => {
    expect(apply(document, { selector: { $patch: 'replace', c: '3' } })['selector']).toEqual({ c: '3' });
    expect(apply(document, { selector: { $patch: 'delete' } })['selector']).toEqual({});
    expect(apply(document, { $patch: 'replace', finalizers: ['x'] })).toEqual({ finalizers: ['x'] });
    expect(() => apply(document, { selector: { $patch: 'bogus' } })).toThrow(
      'unknown patch type: bogus in map: map[$patch:bogus]',
    );
  });

  test('a directive on what is not there leaves nothing', () => {
    expect(
      apply({}, { selector: { $patch: 'delete' }, containers: [{ name: 'a', $patch: 'delete' }] }),
    ).toEqual({
      containers: [],
    });
  });

  test('$retainKeys drops the other half of a union', () => {
    const patch = { volumes: [{ name: 'v', configMap: {}, $retainKeys: ['name', 'configMap'] }] };
    expect(apply(document, patch)['volumes']).toEqual([{ name: 'v', configMap: {} }]);
    expect(() => apply(document, { volumes: [{ name: 'v', configMap: {}, $retainKeys: ['name'] }] })).toThrow(
      expect.objectContaining({ code: 'MalformedPatch', message: 'invalid patch format of retainKeys' }),
    );
  });
});
