import { describe, expect, test } from 'vitest';
import { compileSchema } from '../schema/compile-schema.ts';
import { formatFieldError } from '../schema/format-field-error.ts';
import { compileRules } from './compile-rules.ts';
import { integer, run, string, withSpec } from './testing/check-rule.ts';

describe('the widgets of the recorded kubectl session', () => {
  const widget = withSpec(
    [{ rule: '!has(self.max) || self.size <= self.max', message: 'size must not exceed max' }],
    {
      size: integer,
      max: integer,
      fixed: {
        ...string,
        'x-kubernetes-validations': [{ rule: 'self == oldSelf', message: 'fixed is immutable' }],
      },
    },
  );

  test('w1 is fine', () => {
    expect(run(widget, { spec: { size: 3 } })).toEqual([]);
    expect(run(widget, { spec: { size: 3, max: 3 } })).toEqual([]);
  });

  test('w3 is too large', () => {
    expect(run(widget, { spec: { size: 5, max: 4 } })).toEqual([
      'spec: Invalid value: size must not exceed max',
    ]);
  });

  test('what is fixed stays, once it is there', () => {
    const two = { spec: { size: 1, fixed: 'two' } };
    expect(run(widget, two, { spec: { size: 1, fixed: 'one' } })).toEqual([
      'spec.fixed: Invalid value: "two": fixed is immutable',
    ]);
    expect(run(widget, two, { spec: { size: 1 } })).toEqual([]);
    expect(run(widget, two)).toEqual([]);
  });
});

describe('transition rules', () => {
  const list = {
    type: 'array',
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['name'],
    items: {
      type: 'object',
      properties: { name: string, n: integer },
      'x-kubernetes-validations': [{ rule: 'self.n >= oldSelf.n', message: 'must not shrink' }],
    },
  };

  test('items are found again by their keys', () => {
    const old = {
      spec: {
        list: [
          { name: 'a', n: 5 },
          { name: 'b', n: 1 },
        ],
      },
    };
    const value = {
      spec: {
        list: [
          { name: 'b', n: 2 },
          { name: 'a', n: 4 },
          { name: 'c', n: 0 },
        ],
      },
    };
    expect(run(withSpec([], { list }), value, old)).toEqual(['spec.list[1]: Invalid value: must not shrink']);
  });

  test('items of other lists have no past', () => {
    const atomic = { ...list, 'x-kubernetes-list-type': 'atomic' };
    const old = { spec: { list: [{ name: 'a', n: 5 }] } };
    expect(run(withSpec([], { list: atomic }), { spec: { list: [{ name: 'a', n: 4 }] } }, old)).toEqual([]);
  });

  test('optionalOldSelf runs at creation too', () => {
    const rule = { rule: 'oldSelf.hasValue() || self.a == 0', message: 'm', optionalOldSelf: true };
    const schema = withSpec([rule], { a: integer });
    expect(run(schema, { spec: { a: 1 } })).toEqual(['spec: Invalid value: m']);
    expect(run(schema, { spec: { a: 1 } }, { spec: { a: 0 } })).toEqual([]);
  });

  test('an update need not repair what it does not touch', () => {
    const schema = withSpec([{ rule: 'self.a == 0', message: 'm' }], { a: integer, b: integer });
    expect(run(schema, { spec: { a: 1 }, status: {} }, { spec: { a: 1 } })).toEqual([]);
    expect(run(schema, { spec: { a: 1, b: 1 } }, { spec: { a: 1 } })).toEqual(['spec: Invalid value: m']);
  });
});

describe('rules that do not compile', () => {
  test.each([
    ['self.a +', 'compilation failed'],
    [
      'self.undeclared == 1',
      "ERROR: <input>:1:5: undefined field 'undeclared'\n | self.undeclared == 1\n | ....^",
    ],
    [
      "self.a == 1 + 'x'",
      "ERROR: <input>:1:13: found no matching overload for '_+_' applied to '(int, string)'",
    ],
    [
      '!self.a',
      "ERROR: <input>:1:1: found no matching overload for '!_' applied to '(int)'\n | !self.a\n | ^",
    ],
    [
      'self.s.startsWith(1)',
      "ERROR: <input>:1:18: found no matching overload for 'startsWith' applied to 'string.(int)'",
    ],
    ['self.s.matches(1)', "found no matching overload for 'matches' applied to 'string.(int)'"],
    ['self.a.foo()', "ERROR: <input>:1:11: undeclared reference to 'foo' (in container '')"],
    ['self.l.all(x, x.y == 1)', "ERROR: <input>:1:16: type 'int' does not support field selection"],
    [
      'self.l == self.m',
      "found no matching overload for '_==_' applied to '(list(int), map(string, string))'",
    ],
    ['self.l[0] && true', "ERROR: <input>:1:7: expected type 'bool' but found 'int'"],
    ['true\n&& self.nope', "ERROR: <input>:2:8: undefined field 'nope'\n | && self.nope\n | .......^"],
    ['self.a', 'cel expression must evaluate to a bool'],
    ['unknown == 1', "ERROR: <input>:1:1: undeclared reference to 'unknown' (in container '')"],
    ['has(self.undeclared)', "ERROR: <input>:1:4: undefined field 'undeclared'"],
    ["'a'.matches('(')", 'invalid matches argument'],
    ["timestamp('bad') < timestamp('2026-01-01T00:00:00Z')", 'invalid timestamp argument'],
  ])('%s', (rule, message) => {
    const properties = {
      a: integer,
      s: string,
      l: { type: 'array', items: integer },
      m: { type: 'object', additionalProperties: string },
    };
    const rules = compileRules(compileSchema(withSpec([{ rule }], properties)));
    expect(rules.problems).toEqual([
      { path: 'spec', rule, message: expect.stringContaining(message) as string },
    ]);
    expect(rules.validate({ spec: { a: 1 } }).map(formatFieldError)).toEqual([
      expect.stringContaining('spec: Invalid value: "object": rule compile error: '),
    ]);
  });

  test('a schema without rules costs nothing', () => {
    const rules = compileRules(compileSchema({ type: 'object', properties: { a: integer } }));
    expect(rules.isEmpty).toBe(true);
    expect(rules.validate({ a: 1 })).toEqual([]);
  });
});
