import { expect, test } from 'vitest';
import type { Json, JsonObject } from '../json/json.ts';
import { compileSchema } from '../schema/compile-schema.ts';
import { formatFieldError } from '../schema/format-field-error.ts';
import { compileRules } from './compile-rules.ts';

const rules = (...r: Json[]): JsonObject => ({ 'x-kubernetes-validations': r });
const schema: JsonObject = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      ...rules(
        {
          rule: '!has(self.n) || self.n < 5',
          messageExpression: "self.n > 8 ? 'n is huge' : 'n is large'",
          fieldPath: '.n',
          reason: 'FieldValueForbidden',
        },
        { rule: 'oldSelf.hasValue() || !has(self.a)', message: 'a only later', optionalOldSelf: true },
        { rule: 'self.?k.orValue(0) >= oldSelf.?k.orValue(0)', message: 'k grows' },
      ),
      properties: {
        n: { type: 'integer' },
        a: { type: 'string', maxLength: 10 },
        k: { type: 'integer' },
        lst: {
          type: 'array',
          maxItems: 10,
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['id'],
          items: {
            type: 'object',
            required: ['id'],
            ...rules(
              { rule: 'self.v >= oldSelf.v', message: 'shrunk' },
              { rule: 'self.v < 10', message: 'big' },
            ),
            properties: { id: { type: 'string', maxLength: 5 }, v: { type: 'integer' } },
          },
        },
        atom: {
          type: 'array',
          maxItems: 10,
          items: { type: 'integer', ...rules({ rule: 'self < 10', message: 'atom big' }) },
        },
        set: {
          type: 'array',
          maxItems: 10,
          'x-kubernetes-list-type': 'set',
          ...rules({ rule: 'self == oldSelf', message: 'set changed' }),
          items: { type: 'string', maxLength: 5 },
        },
        m: {
          type: 'object',
          maxProperties: 5,
          additionalProperties: {
            type: 'string',
            maxLength: 5,
            ...rules(
              { rule: "self == oldSelf || self == 'ok'", message: 'm fixed' },
              { rule: "self != 'bad'", message: 'm bad', reason: 'FieldValueDuplicate' },
            ),
          },
        },
        'x-y': {
          type: 'object',
          ...rules(
            { rule: 'self.q == self.w', message: 'q w', fieldPath: "['a.b']" },
            { rule: 'self.q != 7', messageExpression: "''" },
          ),
          properties: {
            q: { type: 'integer', default: 0 },
            w: { type: 'integer', default: 0 },
            'a.b': { type: 'string', maxLength: 5 },
          },
        },
      },
    },
  },
};

/** Specs sent one after the other, each with the answer of kube-apiserver 1.36.2; what is accepted is the next one's past. */
const life: [spec: JsonObject, errors: string[]][] = [
  [{ n: 7 }, ['spec.n: Forbidden: n is large']],
  [{ a: 'x' }, ['spec: Invalid value: a only later']],
  [
    {
      n: 1,
      k: 3,
      lst: [
        { id: 'a', v: 5 },
        { id: 'b', v: 1 },
      ],
      atom: [1, 2],
      set: ['a', 'b'],
      m: { p: '1', q: 'ok' },
    },
    [],
  ],
  [{ n: 1, k: 2 }, ['spec: Invalid value: k grows']],
  [{ n: 9, k: 3, a: 'y' }, ['spec.n: Forbidden: n is huge']],
  [
    {
      n: 1,
      k: 3,
      lst: [
        { id: 'b', v: 0 },
        { id: 'a', v: 6 },
        { id: 'c', v: 11 },
      ],
      atom: [1, 20],
      set: ['b', 'a'],
      m: { p: '2', q: 'ok', r: 'bad' },
    },
    [
      'spec.lst[0]: Invalid value: shrunk',
      'spec.lst[2]: Invalid value: big',
      'spec.atom[1]: Invalid value: 20: atom big',
      'spec.m[p]: Invalid value: "2": m fixed',
      'spec.m[r]: Duplicate value: "bad"',
    ],
  ],
  [
    { n: 1, k: 3, set: ['a', 'c'], lst: [{ id: 'a', v: 4 }] },
    ['spec.set: Invalid value: set changed', 'spec.lst[0]: Invalid value: shrunk'],
  ],
  [{ n: 1, k: 4, 'x-y': { q: 1, w: 0 } }, ['spec.x-y.a.b: Invalid value: q w']],
  [{ n: 1, k: 4, 'x-y': { q: 7, w: 7 } }, ['spec.x-y: Invalid value: failed rule: self.q != 7']],
  [{ n: 1, k: 4, 'x-y': { q: 1, w: 1 } }, []],
];

test('the life of a custom resource, as a real server saw it', () => {
  const compiled = compileRules(compileSchema(schema));
  expect(compiled.problems).toEqual([]);
  let live: Json | undefined;
  for (const [spec, errors] of life) {
    expect(compiled.validate({ spec }, live).map(formatFieldError)).toEqual(errors);
    if (errors.length === 0) live = { spec };
  }
});
