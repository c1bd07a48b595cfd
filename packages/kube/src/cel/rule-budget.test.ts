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
    const doubling = Array.from({ length: 24 }, (_, i) => `cel.bind(s${i + 1}, s${i} + s${i}, `).join('');
    const rule = `cel.bind(s0, self.t, ${doubling}size(s24) > 0${')'.repeat(25)}`;
    expect(check(rule, { t: string }, { t: 'xxxxxxxx' })[0]).toContain('cost limit exceeded');
  });

  test('one object has one budget', () => {
    const rule = { rule: 'self.a.all(x, self.a.all(y, x + y >= 0))', message: 'm' };
    const schema = withSpec(
      Array.from({ length: 30 }, () => rule),
      { a: items },
    );
    expect(run(schema, { spec: { a: Array.from({ length: 250 }, (_, i) => i) } })).toEqual([
      'spec: Invalid value: "object": validation failed due to running out of cost budget, no further validation rules will be run',
    ]);
  });
});
