import { describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../json/value.ts';
import { compileSchema } from '../schema/compile-schema.ts';
import { formatFieldError } from '../schema/format-field-error.ts';
import { compileRules } from './compile-rules.ts';

type RuleSource = { rule: string; [key: string]: Json };
const string = { type: 'string' };
const integer = { type: 'integer' };

/** A schema whose `spec` has these rules and properties. */
const withSpec = (rules: RuleSource[], properties: JsonObject): JsonObject => ({
  type: 'object',
  properties: { spec: { type: 'object', properties, 'x-kubernetes-validations': rules } },
});

const run = (schema: JsonObject, value: Json, old?: Json): string[] =>
  compileRules(compileSchema(schema)).validate(value, old).map(formatFieldError);

/** What a single rule on `spec` says about a spec. */
const check = (rule: string, properties: JsonObject, spec: Json, old?: Json): string[] =>
  run(
    withSpec([{ rule, message: 'broken' }], properties),
    { spec },
    old === undefined ? undefined : { spec: old },
  );

const BROKEN = ['spec: Invalid value: broken'];

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
    expect(check('sets.contains(self.list, [9007199254740992.0])', properties, spec)).toEqual([]);
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

describe('where and how an error is told', () => {
  const properties = { a: integer, b: { type: 'object', properties: { c: integer } } };
  const say = (rule: Omit<RuleSource, 'rule'>, spec: Json = { a: 1 }): string[] =>
    run(withSpec([{ rule: 'self.a == 0', ...rule }], properties), { spec });

  test('by its rule, for want of a message', () => {
    expect(say({})).toEqual(['spec: Invalid value: failed rule: self.a == 0']);
  });

  test('at the field that fieldPath names', () => {
    expect(say({ message: 'm', fieldPath: '.b.c' })).toEqual(['spec.b.c: Invalid value: m']);
  });

  test('for the reason given', () => {
    expect(say({ message: 'm', reason: 'FieldValueForbidden' })).toEqual(['spec: Forbidden: m']);
    expect(say({ message: 'm', reason: 'FieldValueRequired' })).toEqual(['spec: Required value: m']);
  });

  test('in the words of messageExpression, unless they are no message', () => {
    expect(say({ messageExpression: "'a is ' + string(self.a)" })).toEqual(['spec: Invalid value: a is 1']);
    expect(say({ message: 'm', messageExpression: "'two\\nlines'" })).toEqual(['spec: Invalid value: m']);
    expect(say({ message: 'm', messageExpression: 'string(1 / (self.a - 1))' })).toEqual([
      'spec: Invalid value: m',
    ]);
  });

  test('with the value, if that is a scalar', () => {
    const schema = withSpec([], {
      a: { ...integer, 'x-kubernetes-validations': [{ rule: 'self > 1', message: 'm' }] },
    });
    expect(run(schema, { spec: { a: 1 } })).toEqual(['spec.a: Invalid value: 1: m']);
  });

  test('per item and per key', () => {
    const rules = { 'x-kubernetes-validations': [{ rule: 'self > 1', message: 'm' }] };
    const schema = withSpec([], {
      list: { type: 'array', items: { ...integer, ...rules } },
      map: { type: 'object', additionalProperties: { ...integer, ...rules } },
    });
    expect(run(schema, { spec: { list: [2, 1], map: { k: 0 } } })).toEqual([
      'spec.list[1]: Invalid value: 1: m',
      'spec.map[k]: Invalid value: 0: m',
    ]);
  });

  test('from allOf as well', () => {
    const schema = withSpec([], {
      a: { ...integer, allOf: [{ 'x-kubernetes-validations': [{ rule: 'self > 1', message: 'm' }] }] },
    });
    expect(run(schema, { spec: { a: 1 } })).toEqual(['spec.a: Invalid value: 1: m']);
  });
});

describe('evaluations that fail', () => {
  test.each([
    ['self.a > 0', 'no such key: a evaluating rule: broken'],
    ['[1][self.b] == 1', 'index out of bounds: 5 evaluating rule: broken'],
    ['1 / (self.b - 5) == 1', 'division by zero evaluating rule: broken'],
    ['1 % (self.b - 5) == 1', 'modulus by zero evaluating rule: broken'],
    ['self.b * 9223372036854775807 > 0', 'integer overflow evaluating rule: broken'],
    [
      'self.d + 1 > 0',
      "'no such overload': call arguments did not match a supported operator, function or macro signature for rule: broken",
    ],
  ])('%s', (rule, text) => {
    const properties = { a: integer, b: integer, d: { 'x-kubernetes-int-or-string': true } };
    expect(check(rule, properties, { b: 5, d: 'x' })).toEqual([`spec: Invalid value: "object": ${text}`]);
  });

  test('an error does not matter where || and && do not need it', () => {
    expect(check('self.a > 0 || true', { a: integer }, {})).toEqual([]);
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
