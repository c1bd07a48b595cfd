import { expect, test } from 'vitest';
import type { Json } from '../json/json.ts';
import { formatGoSyntax, goTypeOf } from './format-go-syntax.ts';

test.each<[Json, string, string]>([
  [null, 'interface {}(nil)', '<nil>'],
  ['a"b', String.raw`"a\"b"`, 'string'],
  [true, 'true', 'bool'],
  [5, '5', 'int64'],
  [2n ** 60n, '1152921504606846976', 'int64'],
  [1.5, '1.5', 'float64'],
  [[1, 'x'], '[]interface {}{1, "x"}', '[]interface {}'],
  [
    { b: [], a: null },
    'map[string]interface {}{"a":interface {}(nil), "b":[]interface {}{}}',
    'map[string]interface {}',
  ],
])('%o is %s of type %s', (value, syntax, type) => {
  expect(formatGoSyntax(value)).toBe(syntax);
  expect(goTypeOf(value)).toBe(type);
});
