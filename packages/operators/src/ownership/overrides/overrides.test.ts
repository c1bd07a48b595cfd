import type { JsonObject, Stored } from '@kubewright/kube';
import { describe, expect, test } from 'vitest';
import { readManifest } from '../read-manifest.ts';

const live: Stored = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: {
    name: 'c',
    uid: 'u',
    resourceVersion: '1',
    managedFields: [
      {
        manager: 'eno',
        operation: 'Apply',
        apiVersion: 'v1',
        fieldsType: 'FieldsV1',
        fieldsV1: { 'f:data': { 'f:mine': {} } },
      },
    ],
  },
  data: { mine: '1', theirs: '2', size: '2Gi' },
};
const source: JsonObject = {
  data: { mine: 'x', theirs: 'y', 'a-b': 'z' },
  list: [{ name: 'a', n: 1 }, { name: 'b' }],
  nothing: null,
};

function overridden(override: JsonObject, object: Stored | undefined = live) {
  const annotations = { 'eno.azure.io/overrides': JSON.stringify([override]) };
  const text = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c', annotations }, ...source };
  const owner = { metadata: { name: 'shop', namespace: 'ns', labels: { tier: 'gold' } } };
  const read = readManifest({ manifest: JSON.stringify(text) }, owner);
  if (typeof read === 'string') return expect.unreachable(read);
  const { object: made } = read.overridden?.(object) ?? read;
  return { data: made['data'], list: made['list'], nothing: made['nothing'], extra: made['extra'] };
}

const data = (change: JsonObject) => ({ data: { ...(source['data'] as JsonObject), ...change } });
const same = { data: source['data'], list: source['list'], nothing: null, extra: undefined };

describe('where an override assigns', () => {
  test.each<[path: string, value: JsonObject[string], expected: object]>([
    ['self.data.mine', 'new', data({ mine: 'new' })],
    ["self.data['a-b']", 'new', data({ 'a-b': 'new' })],
    ['self["data"].mine', 'new', data({ mine: 'new' })],
    ['self.data.mine', null, { data: { theirs: 'y', 'a-b': 'z' } }],
    ['self.list[0].n', 2, { list: [{ name: 'a', n: 2 }, { name: 'b' }] }],
    [
      'self.list[*].n',
      2,
      {
        list: [
          { name: 'a', n: 2 },
          { name: 'b', n: 2 },
        ],
      },
    ],
    [
      'self.list[name="b"].n',
      2,
      {
        list: [
          { name: 'a', n: 1 },
          { name: 'b', n: 2 },
        ],
      },
    ],
    ["self.list[name='a']", null, { list: [{ name: 'b' }] }],
    ['self.extra.deep.er', 1, { extra: { deep: { er: 1 } } }],
    ['self.extra.deep', null, { extra: undefined }],
    ['self.list[0].n', null, { list: [{ name: 'a' }, { name: 'b' }] }],
    ['self.nothing.x', 1, same],
    ['self.list[7]', 1, same],
    ['self.data[0]', 1, same],
    ['self.extra.list[0]', 1, same],
    ['self.data.mine.x', 1, same],
    ['data.mine', 1, same],
    ['self.data.', 1, same],
    ['self.__proto__.x', 1, same],
  ])('%s', (path, value, expected) => {
    expect(overridden({ path, value })).toMatchObject(expected);
    expect(({} as { x?: number }).x).toBeUndefined();
  });
});

describe('when an override applies', () => {
  const applied = data({ mine: 'new' });
  test.each<[condition: string, expected: object]>([
    ["self.data.theirs == '2'", applied],
    ["self.data.theirs == '3'", same],
    ['has(self.data.missing)', same],
    ['self.data.missing', same],
    ['self.(', same],
    ['pathManagedByEno', applied],
    ["composition.metadata.labels.tier == 'gold'", applied],
    ['composition.metadata.deletionTimestamp != null', same],
    ["compareResourceQuantities(self.data.size, '1Gi') > 0", applied],
  ])('%s', (condition, expected) => {
    expect(overridden({ path: 'self.data.mine', value: 'new', condition })).toMatchObject(expected);
  });

  test('a field that another manager owns is not ours', () => {
    const override = { path: 'self.data.theirs', value: null, condition: '!pathManagedByEno' };
    expect(overridden(override)?.data).toEqual({ mine: 'x', 'a-b': 'z' });
  });

  test('an object that does not exist is empty', () => {
    const override = { path: 'self.data.mine', value: 'new', condition: '!has(self.data)' };
    expect(overridden({ ...override }, undefined)).toMatchObject(same);
  });
});

describe('a value that is computed', () => {
  const path = 'self.data.mine';
  test.each<[what: string, override: JsonObject, expected: object]>([
    ['from the live object', { path, valueExpression: 'self.data.theirs' }, data({ mine: '2' })],
    ['that fails', { path, valueExpression: 'self.data.missing' }, same],
    ['that is null', { path, valueExpression: 'null' }, same],
    ['beside a value', { path, valueExpression: "'a'", value: 'b' }, data({ mine: 'a' })],
  ])('%s', (_what, override, expected) => {
    expect(overridden(override)).toMatchObject(expected);
  });
});

test.each([
  "self.data.theirs.matches('^(2|2?)+$')",
  "'a'.matches('(a{9}){9}') || [1, 2, 3].all(a, lists.range(100000).all(b, lists.range(100000).size() > b))",
])('an override whose condition is stopped changes nothing: %s', (condition) => {
  const hostile: Stored = { ...live, data: { theirs: `${'2'.repeat(60)}3` } };
  expect(overridden({ path: 'self.data.mine', value: 'new', condition }, hostile)).toEqual(same);
});
