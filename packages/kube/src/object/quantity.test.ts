import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canonicalQuantity, compareQuantity } from './compare-quantity.ts';
import { addQuantity, quantityAsInteger, scaledQuantity } from './quantity.ts';
import { formatQuantity } from './format-quantity.ts';
import { parseQuantity } from './parse-quantity.ts';

describe('canonical forms, recorded from apimachinery 0.36.2', () => {
  test.each([
    ['0.5', '500m'],
    ['1000m', '1'],
    ['1024Ki', '1Mi'],
    ['1.5Gi', '1536Mi'],
    ['0.5Gi', '512Mi'],
    ['1.5Ki', '1536'],
    ['1.1Gi', '1181116006400m'],
    ['-1.5Gi', '-1536Mi'],
    ['1023', '1023'],
    ['0', '0'],
    ['00.0m', '0'],
    ['.5', '500m'],
    ['100e3', '100e3'],
    ['1000e3', '1e6'],
    ['1e9', '1e9'],
    ['2E3', '2E3'],
    ['0.0000000001', '1n'],
    ['-0.0000000001', '-1n'],
    ['9Ei', '9223372036854775807'],
    ['9223372036854775807Ki', '9223372036854775807'],
    ['999999999999999999', '999999999999999999'],
    ['100E', '100E'],
  ])('%s → %s', (text, canonical) => {
    expect(canonicalQuantity(text)).toBe(canonical);
  });

  test('what Go takes for canonical it keeps as it was written', () => {
    for (const text of ['+5', '1.500', '0100', '4Ki', '1025Ki']) expect(canonicalQuantity(text)).toBe(text);
  });

  test('an amount beyond the last suffix loses it, as in Go', () => {
    expect(canonicalQuantity('1000E')).toBe('1');
  });
});

test.each([
  ['', 'quantities must match the regular expression'],
  ['1 ', 'quantities must match the regular expression'],
  ['0x', 'quantities must match the regular expression'],
  ['1K', "unable to parse quantity's suffix"],
  ['1mi', "unable to parse quantity's suffix"],
  ['5e', "unable to parse quantity's suffix"],
  ['1e99999999', "unable to parse quantity's suffix"],
  ['1'.repeat(5000), 'quantities must match'],
])('%j is refused in the words of Go', (text, message) => {
  expect(() => canonicalQuantity(text)).toThrow(message);
});

test('the canonical form stands for the same amount and is its own canonical form', () => {
  const suffix = fc.constantFrom('', 'm', 'u', 'k', 'M', 'Ki', 'Mi', 'Gi', 'e3');
  fc.assert(
    fc.property(fc.integer(), fc.nat(999), suffix, (whole, fraction, unit) => {
      const text = `${whole}.${fraction}${unit}`;
      const canonical = canonicalQuantity(text);
      expect(compareQuantity(text, canonical)).toBe(0);
      expect(canonicalQuantity(canonical)).toBe(canonical);
    }),
  );
});

test('amounts compare across suffixes', () => {
  expect(compareQuantity('1Gi', '1G')).toBe(1);
  expect(compareQuantity('999m', '1')).toBe(-1);
  expect(compareQuantity('1k', '1000')).toBe(0);
});

test('a sum keeps the suffix family of its first part', () => {
  expect(formatQuantity(addQuantity(parseQuantity('1Gi'), parseQuantity('1Gi')))).toBe('2Gi');
  expect(formatQuantity(addQuantity(parseQuantity('0'), parseQuantity('1Gi')))).toBe('1Gi');
});

test('parts round away from zero', () => {
  expect(scaledQuantity(parseQuantity('1.5'))).toBe(2n);
  expect(scaledQuantity(parseQuantity('-1.5'))).toBe(-2n);
  expect(scaledQuantity(parseQuantity('1.5'), 3)).toBe(1500n);
  expect(quantityAsInteger(parseQuantity('1.5'))).toBeUndefined();
  expect(quantityAsInteger(parseQuantity('1.5k'))).toBe(1500n);
});

test('a text that is too long for a quantity is rejected before it is looked at', () => {
  expect(() => parseQuantity(`${'1'.repeat(300_000)}!`)).toThrow('quantities must match');
});
