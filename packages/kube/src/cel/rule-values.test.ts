import { describe, expect, test } from 'vitest';
import type { Json } from '../json/json.ts';
import { BROKEN, check, integer, run, string } from './testing/check-rule.ts';

describe('values have the types of their schema', () => {
  test('integers, beyond 2^53 too', () => {
    expect(check('self.a + 1 > self.a', { a: integer }, { a: 9007199254740993n })).toEqual([]);
    expect(check('self.a % 2 == 1', { a: integer }, { a: 7 })).toEqual([]);
  });

  test('integers that a double cannot tell apart differ', () => {
    const properties = { list: { type: 'array', items: integer } };
    const spec = { list: [9007199254740993n, 9007199254740992n] };
    expect(
      check(
        '[self.list[0]].indexOf(self.list[1]) == -1 && self.list.distinct().size() == 2',
        properties,
        spec,
      ),
    ).toEqual([]);
    expect(check('dyn(9007199254740992.0) in self.list', properties, spec)).toEqual([]);
  });

  test('numbers are doubles even when they are whole', () => {
    expect(check('self.a / 2.0 == 1.5', { a: { type: 'number' } }, { a: 3 })).toEqual([]);
  });

  test('maps and lists', () => {
    const properties = {
      labels: { type: 'object', additionalProperties: string },
      items: { type: 'array', items: { type: 'object', properties: { n: integer } } },
    };
    const spec = { labels: { a: 'x' }, items: [{ n: 1 }, { n: 2 }] };
    expect(
      check("self.labels['a'] == 'x' && 'a' in self.labels && size(self.labels) == 1", properties, spec),
    ).toEqual([]);
    expect(
      check('self.items.all(i, i.n > 0) && self.items.map(i, i.n).sum() == 3', properties, spec),
    ).toEqual([]);
    expect(check('self.items[0] == self.items[1]', properties, spec)).toEqual(BROKEN);
  });

  test('an int-or-string is either', () => {
    const properties = { port: { 'x-kubernetes-int-or-string': true } };
    const rule = "type(self.port) == int ? self.port > 0 : self.port == 'http'";
    expect(check(rule, properties, { port: 80 })).toEqual([]);
    expect(check(rule, properties, { port: 'http' })).toEqual([]);
    expect(check(rule, properties, { port: 'x' })).toEqual(BROKEN);
  });

  test('a field that is null is as good as absent, an item is not', () => {
    const nullable = { ...string, nullable: true };
    const properties = { a: nullable, list: { type: 'array', items: nullable } };
    expect(check('!has(self.a)', properties, { a: null })).toEqual([]);
    expect(check("has(self.a) && self.a == 'x'", properties, { a: 'x' })).toEqual([]);
    expect(check("self.list[0] == null && self.list[1] == 'x'", properties, { list: [null, 'x'] })).toEqual(
      [],
    );
  });

  test('dates and durations', () => {
    const properties = { at: { ...string, format: 'date-time' }, every: { ...string, format: 'duration' } };
    const spec = { at: '2026-01-02T00:00:00Z', every: '90m' };
    expect(
      check(
        "self.at > timestamp('2026-01-01T00:00:00Z') && self.every == duration('1h30m')",
        properties,
        spec,
      ),
    ).toEqual([]);
  });

  test('a set has no order', () => {
    const properties = { tags: { type: 'array', items: string, 'x-kubernetes-list-type': 'set' } };
    const rule = 'self.tags == oldSelf.tags';
    expect(check(rule, properties, { tags: ['b', 'a'] }, { tags: ['a', 'b'] })).toEqual([]);
    expect(check(rule, properties, { tags: ['a'] }, { tags: ['a', 'b'] })).toEqual(BROKEN);
  });

  test('sets and lists with keys join as such', () => {
    const properties = {
      set: { type: 'array', items: string, 'x-kubernetes-list-type': 'set' },
      list: {
        type: 'array',
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['k'],
        items: { type: 'object', properties: { k: string, v: integer } },
      },
    };
    const spec = {
      set: ['y', 'x'],
      list: [
        { k: 'a', v: 1 },
        { k: 'b', v: 2 },
      ],
    };
    const old = {
      set: ['x'],
      list: [
        { k: 'b', v: 2 },
        { k: 'a', v: 1 },
      ],
    };
    expect(check("self.set + ['z', 'x'] == ['x', 'y', 'z']", properties, spec)).toEqual([]);
    expect(
      check('self.list == oldSelf.list && self.list + oldSelf.list == self.list', properties, spec, old),
    ).toEqual([]);
    expect(check('self.list != oldSelf.list', properties, spec, old)).toEqual(BROKEN);
  });

  test('names that CEL cannot spell are escaped', () => {
    const properties = { 'a-b': integer, 'c.d': integer, namespace: integer, x__y: integer, 'e/f': integer };
    const spec = { 'a-b': 1, 'c.d': 1, namespace: 1, x__y: 1, 'e/f': 1 };
    const rule =
      'self.a__dash__b + self.c__dot__d + self.__namespace__ + self.x__underscores__y + self.e__slash__f == 5';
    expect(check(rule, properties, spec)).toEqual([]);
  });

  test('hostile field names stay data', () => {
    const properties = { labels: { type: 'object', additionalProperties: string } };
    const spec = JSON.parse('{"labels":{"__proto__":"x","constructor":"y"}}') as Json;
    expect(check("self.labels['__proto__'] == 'x' && size(self.labels) == 2", properties, spec)).toEqual([]);
    expect(check("'toString' in self.labels", properties, spec)).toEqual(BROKEN);
    expect(check('has(self.labels.toString)', properties, spec)).toEqual(BROKEN);
  });

  test('the root sees what it is called', () => {
    const schema = {
      type: 'object',
      properties: { metadata: { type: 'object' } },
      'x-kubernetes-validations': [{ rule: "self.metadata.name.startsWith('a') && self.kind == 'W'" }],
    };
    expect(run(schema, { kind: 'W', metadata: { name: 'abc' } })).toEqual([]);
    expect(run(schema, { kind: 'W', metadata: { name: 'x' } })).toEqual([
      "<nil>: Invalid value: failed rule: self.metadata.name.startsWith('a') && self.kind == 'W'",
    ]);
  });
});
