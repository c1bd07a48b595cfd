import { describe, expect, test } from 'vitest';
import { check, integer, run, string, withSpec } from './testing/check-rule.ts';

describe('work has a limit', () => {
  const items = { type: 'array', items: integer };

  test('nested loops over much data are stopped, and nothing after them is run', () => {
    const rule = 'self.a.all(x, self.a.all(y, self.a.all(z, x + y + z >= 0)))';
    const schema = withSpec([{ rule, message: 'm' }, { rule: 'false' }], { a: items });
    expect(run(schema, { spec: { a: Array.from({ length: 300 }, (_, i) => i) } })).toEqual([
      `spec: Invalid value: "object": 'operation cancelled: actual cost limit exceeded': no further validation rules will be run due to call cost exceeds limit for rule: m`,
    ]);
    expect(run(schema, { spec: { a: [1, 2] } })).toEqual(['spec: Invalid value: failed rule: false']);
  });

  test('a limit that || swallows still counts', () => {
    const rule = 'self.a.all(x, self.a.all(y, self.a.all(z, x + y + z >= 0))) || true';
    expect(check(rule, { a: items }, { a: Array.from({ length: 300 }, (_, i) => i) })[0]).toContain(
      'cost limit exceeded',
    );
  });

  test('comprehensions of two variables count as well', () => {
    const rule = 'self.a.all(i, x, self.a.all(j, y, self.a.all(k, z, x + y + z >= 0)))';
    expect(check(rule, { a: items }, { a: Array.from({ length: 300 }, (_, i) => i) })[0]).toContain(
      'cost limit exceeded',
    );
  });

  test('large sets compare in time that grows with them, not with their square', () => {
    const properties = {
      list: {
        type: 'array',
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['k'],
        items: { type: 'object', properties: { k: integer } },
      },
    };
    const list = Array.from({ length: 5000 }, (_, k) => ({ k }));
    const rule =
      'self.list == oldSelf.list && sets.equivalent(self.list.map(i, i.k), self.list.map(i, i.k).distinct())';
    expect(check(rule, properties, { list }, { list: [...list].reverse() })).toEqual([]);
  });

  test('text that doubles is stopped', () => {
    const rule = `[self.t]${'.map(s, s + s)'.repeat(24)}[0].size() > 0`;
    expect(check(rule, { t: string }, { t: 'xxxxxxxx' })[0]).toContain('cost limit exceeded');
  });

  test('one object has one budget', () => {
    const rule = { rule: 'self.a.all(x, self.a.all(y, x + y >= 0))', message: 'm' };
    const schema = withSpec(
      Array.from({ length: 30 }, () => rule),
      { a: items },
    );
    expect(run(schema, { spec: { a: Array.from({ length: 150 }, (_, i) => i) } })).toEqual([
      'spec: Invalid value: "object": validation failed due to running out of cost budget, no further validation rules will be run',
    ]);
  });

  const numbers = Array.from({ length: 2000 }, (_, i) => i);
  const dear = {
    t: 'a'.repeat(100_000),
    a: numbers,
    o: Object.fromEntries(numbers.map((i) => [`k${i}`, i])),
  };
  test.each([
    'self.a.all(x, self.t.lowerAscii() != "")',
    'self.a.all(x, self.t.split("").size() > 0)',
    'self.t.replace("a", self.t) != ""',
    'self.a.all(x, lists.range(100000).size() > 0)',
    'self.a.all(x, self.a.sort().size() > 0)',
    'self.a.all(x, self.o == self.o)',
    'self.a.all(x, self.o.exists(k, true))',
    'self.a.all(x, self.o.exists(k, v, true))',
    'self.a.all(x, "%s%s".format([self.t, self.t]) != "")',
    'self.a.all(x, self.a.map(y, string(y)).join(self.t) != "")',
    'self.a.exists(x, self.a.exists(y, self.o["no"] == y))',
    'self.a.all(x, self.t.matches("^(a|aa)*$"))',
    'self.t.findAll("a*b|a").size() > 0',
    'self.a.exists(x, "x".matches("(x{9}|" + string(x) + "){99}"))',
    'self.a.all(x, timestamp("2024-01-01T00:00:00Z").getHours("Europe/Berlin") >= 0)',
    `[self.t]${'.map(x, [x, x])'.repeat(40)}.flatten(50).size() > 0`,
    'self.a.sortBy(x, self.a.size() + x).size() > 0 && self.a.all(x, self.a.sortBy(y, y).size() > 0)',
  ])('what functions do is counted: %s', (rule) => {
    const schema = { t: string, a: items, o: { type: 'object', additionalProperties: integer } };
    expect(check(rule, schema, dear)[0]).toContain('cost limit exceeded');
  });

  test('ordinary texts, lists and patterns are far from the limit', () => {
    const names = Array.from({ length: 200 }, (_, i) => `web-${i}.example.com`);
    const rule =
      'self.a.all(x, x.matches("^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$")) && ' +
      'self.a.all(x, self.a.exists_one(y, x == y)) && self.a.map(x, x.lowerAscii()).distinct().size() == 200';
    expect(check(rule, { a: { type: 'array', items: string } }, { a: names })).toEqual([]);
  });
});
