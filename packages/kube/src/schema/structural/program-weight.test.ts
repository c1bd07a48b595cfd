import * as fc from 'fast-check';
import { RE2JS, RE2JSSyntaxException } from 're2js';
import { expect, test } from 'vitest';
import { programWeight } from './program-weight.ts';

test.each<[pattern: string, least: number, most: number]>([
  ['a', 10, 20],
  ['a{1000}', 10_000, 12_000],
  ['(?:a{10}){10}', 1000, 1500],
  ['(?:(?:a{10}b?){10}c){10}', 10_000, 20_000],
  ['a{3,}', 40, 50],
  ['a{,1000}', 10, 200],
  ['(a|b){50}', 1000, 2500],
  ['[a-z(]{100}', 1000, 2000],
  ['[]{1000}]', 10, 30],
  ['[[:alpha:]{50}]{2}', 20, 80],
  ['\\pL{100}', 20_000, 25_000],
  ['\\x{41}{100}', 1000, 2000],
  ['\\Q(a)\\E{100}', 1000, 10_000],
  ['(?:a{1000}\\Q)\\E){10}', 100_000, 120_000],
  ['(?:a{1000}[)]){10}', 100_000, 120_000],
  ['(?:a{1000}\\)){10}', 100_000, 120_000],
  ['(?:[[:x]a{1000}[:]]){10}', 100_000, 120_000],
])('the weight of %s is known without compiling it', (pattern, least, most) => {
  expect(programWeight(pattern)).toBeGreaterThanOrEqual(least);
  expect(programWeight(pattern)).toBeLessThanOrEqual(most);
});

test('no pattern has a program that is larger than its weight, however it is written', () => {
  const parts = [
    'a',
    '(',
    '(?:',
    ')',
    '[',
    ']',
    '^',
    '[:alpha:]',
    '{9}',
    '{2,30}',
    '{3,}',
    '\\Q',
    '\\E',
    '\\',
    '|',
    '*',
    '?',
    '\\p{L}',
    'P',
  ];
  const pattern = fc.array(fc.constantFrom(...parts), { maxLength: 14 }).map((list) => list.join(''));
  fc.assert(
    fc.property(pattern, (text) => {
      expect(sizeOf(text) * 3).toBeLessThanOrEqual(programWeight(text) + 20);
    }),
    { numRuns: 2000 },
  );
});

function sizeOf(pattern: string): number {
  try {
    return RE2JS.compile(pattern).programSize();
  } catch (error) {
    if (error instanceof RE2JSSyntaxException) return 0;
    throw error;
  }
}
