import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { countCommon, indexSet } from './index-set.ts';

const indexes = fc.array(fc.nat(60));

test('what two sets have in common', () => {
  fc.assert(
    fc.property(indexes, indexes, (a, b) => {
      const both = [...new Set(a)].filter((index) => b.includes(index));
      expect(countCommon(indexSet(a), indexSet(b))).toBe(both.length);
    }),
  );
});

test('a hundred thousand indexes in pieces are compared in one go', () => {
  const even = Array.from({ length: 50_000 }, (_, index) => 2 * index);
  expect(countCommon(indexSet(even), indexSet(even))).toBe(even.length);
});
