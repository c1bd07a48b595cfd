import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatFieldSelector, parseFieldSelector } from './parse-field-selector.ts';

test('terms are sorted and all of them hold', () => {
  expect(parseFieldSelector('spec.nodeName!=b,metadata.name==a,')).toEqual([
    { field: 'metadata.name', operator: '=', value: 'a' },
    { field: 'spec.nodeName', operator: '!=', value: 'b' },
  ]);
});

test('any value survives its escape', () => {
  fc.assert(
    fc.property(fc.string(), (value) => {
      const requirement = { field: 'a', operator: '=' as const, value };
      expect(parseFieldSelector(formatFieldSelector([requirement]))).toEqual([requirement]);
    }),
  );
});

test.each([
  ['a', "invalid selector: 'a'; can't understand 'a'"],
  ['a=b=c', 'invalid field selector: unescaped character in value: 61'],
  [String.raw`a=b\x`, String.raw`invalid field selector: invalid escape sequence: \x`],
  ['a=b\\', 'invalid field selector: invalid escape sequence: \\'],
])('%j is refused in the words of Go', (selector, message) => {
  expect(() => parseFieldSelector(selector)).toThrow(
    expect.objectContaining({ code: 'InvalidSelector', message }),
  );
});
