import { describe, expect, test } from 'vitest';
import type { Json } from '../json/json.ts';
import { check, integer, type RuleSource, run, withSpec } from './testing/check-rule.ts';

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
