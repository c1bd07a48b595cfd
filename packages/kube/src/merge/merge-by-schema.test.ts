import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../json/json.ts';
import { conflictOf, story } from './testing/story.ts';

describe('lists', () => {
  test('the applier orders what both have; the rest keeps its place', () => {
    const s = story().update('u', { items: ['a', 'b', 'c'].map((name) => ({ name })) });
    s.apply('x', { items: [{ name: 'c' }, { name: 'new' }, { name: 'a' }] });
    expect((s.body['items'] as { name: string }[]).map(({ name }) => name)).toEqual(['b', 'c', 'new', 'a']);
  });

  test('an atomic list is taken as a whole', () => {
    const s = story().apply('a', { args: ['1', '2'] });
    expect(conflictOf(() => s.apply('b', { args: ['1'] })).message).toContain('.args');
    expect(s.force('b', { args: ['1'] }).body).toEqual({ args: ['1'] });
  });

  test('a key may not stand twice in a configuration, but may in a live object', () => {
    const twice = {
      items: [
        { name: 'c', image: 'i' },
        { name: 'c', image: 'j' },
      ],
    };
    expect(() => story().apply('a', twice)).toThrow(
      'failed to create typed patch object (/x; ex.io/v1, Kind=Thing): .items: duplicate entries for key [name="c"]',
    );
    const s = story().update('u', twice);
    expect(s.claims['u/Update']).toEqual(['.items', '.items[name="c"]']);
    s.apply('a', { replicas: 1 });
    expect(s.body['items']).toEqual(twice.items);
  });

  test('of live duplicates the first is merged, the rest goes, and new items come in their place', () => {
    const s = story().update('u', {
      ports: [{ port: 80, note: 'a' }, { port: 80 }, { port: 80, protocol: 'UDP' }],
    });
    s.force('a', { ports: [{ port: 80 }, { port: 81 }] });
    expect(s.body).toEqual({ ports: [{ port: 80 }, { port: 81 }, { port: 80, protocol: 'UDP' }] });
  });

  test('nested lists merge by their own keys', () => {
    const s = story().apply('a', { items: [{ name: 'c', env: [{ name: 'A', value: '1' }] }] });
    s.apply('b', { items: [{ name: 'c', env: [{ name: 'B', value: '2' }] }] });
    expect(s.body).toEqual({
      items: [
        {
          name: 'c',
          env: [
            { name: 'A', value: '1' },
            { name: 'B', value: '2' },
          ],
        },
      ],
    });
    s.apply('a', {});
    expect(s.body).toEqual({ items: [{ name: 'c', env: [{ name: 'B', value: '2' }] }] });
  });
});

describe('a configuration that is not of its type', () => {
  test.each<[JsonObject, string]>([
    [{ nope: 1 }, '.nope: field not declared in schema'],
    [{ replicas: 'x' }, '.replicas: expected numeric (int or float), got string'],
    [{ replicas: { a: true } }, '.replicas: expected numeric (int or float), got map[string]interface {}'],
    [
      { metadata: { name: 'x', labels: { a: { b: [1, 'c'] } } } },
      '.metadata.labels.a: expected string, got &value.valueUnstructured{Value:map[string]interface {}{"b":[]interface {}{1, "c"}}}',
    ],
    [{ items: 'x' }, '.items: expected list, got &{x}'],
    [{ items: { a: 1 } }, '.items: expected list, got &{map[a:1]}'],
    [
      { items: [{ image: 'i' }] },
      '.items: element 0: associative list with keys has an element that omits all key fields ["name"]',
    ],
    [
      { tags: [null] },
      ".tags: element 0: associative list without keys has an element that's an explicit null",
    ],
  ])('%j is refused', (body, message) => {
    expect(() => story().apply('a', body)).toThrow(message);
  });
});

describe('what a schema does not name', () => {
  test('is taken anywhere below what preserves unknown fields', () => {
    const s = story().apply(
      'a',
      { free: { known: { a: 'x', b: { c: 1 } }, d: 1 } },
      { apiVersion: 'ex.io/v3' },
    );
    expect(s.claims['a/Apply']).toEqual(['.free.d', '.free.known.a', '.free.known.b', '.free.known.b.c']);
  });
});

describe('duplicates in a live object that somebody claims at another version', () => {
  const twice = { tags: ['x', 'x'] };

  test('fail an apply', () => {
    const s = story().update('u', twice);
    expect(() => s.apply('a', { replicas: 1 }, { apiVersion: 'ex.io/v2' })).toThrow(
      '.tags: duplicate entries for key [="x"]',
    );
  });

  test('cost an update all claims', () => {
    const s = story().update('u', twice);
    expect(s.update('v', { ...twice, replicas: 1 }, { apiVersion: 'ex.io/v2' }).claims).toEqual({});
  });
});

test('an item that loses its key, because somebody claims the key field no more, goes', () => {
  const s = story().apply('a', { items: [{ name: 'c', image: 'i' }] });
  s.rewrite([
    {
      manager: 'a',
      operation: 'Apply',
      apiVersion: 'ex.io/v1',
      fieldsType: 'FieldsV1',
      fieldsV1: { 'f:items': { 'k:{"name":"c"}': { '.': {}, 'f:image': {} } } },
    },
    {
      manager: 'b',
      operation: 'Update',
      apiVersion: 'ex.io/v1',
      fieldsType: 'FieldsV1',
      fieldsV1: { 'f:items': { 'k:{"name":"c"}': { '.': {}, 'f:image': {} } } },
    },
  ]);
  expect(s.apply('a', { replicas: 1 }).body).toEqual({ items: [], replicas: 1 });
  expect(s.claims).toEqual({ 'a/Apply': ['.replicas'] });
});
