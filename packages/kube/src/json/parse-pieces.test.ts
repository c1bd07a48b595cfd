import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runs } from '../../../../test/support/seeds.ts';
import type { Json } from './json.ts';
import { parseBoundedJson, parseInSteps } from './parse-json.ts';
import { parsePieces } from './parse-pieces.ts';

type Steps = Generator<void, Json>;

/** The value, and how many steps there were. */
function ended(steps: Steps): { readonly value: Json; readonly steps: number } {
  let count = 1;
  let step = steps.next();
  for (; step.done !== true; step = steps.next()) count++;
  return { value: step.value, steps: count };
}

/** What comes of a text, where errors differ in their words only. */
function outcome(parse: () => unknown): string {
  try {
    return JSON.stringify(parse());
  } catch {
    return 'no JSON';
  }
}

const inPieces = (text: string, piece: number): unknown =>
  ended(parsePieces(text, (part) => JSON.parse(part) as Json, piece)).value;

const spaced = fc
  .tuple(fc.json({ maxDepth: 6 }), fc.constantFrom('', ' ', '\n  '))
  .map(([text, space]) => JSON.stringify(JSON.parse(text), undefined, space.length));

describe('a text that is parsed in pieces', () => {
  test('has the value that it has as a whole, with its keys in the same order', () => {
    fc.assert(
      fc.property(spaced, fc.integer({ min: 1, max: 40 }), (text, piece) => {
        expect(JSON.stringify(inPieces(text, piece))).toBe(JSON.stringify(JSON.parse(text)));
      }),
      { numRuns: runs(1000) },
    );
  });

  test('is rejected exactly where it is no JSON as a whole', () => {
    const symbols = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"a"',
      '"b"',
      '"__proto__"',
      '1',
      'null',
      ' ',
      '"',
    );
    const texts = fc.array(symbols, { maxLength: 14 }).map((all) => all.join(''));
    const cut = fc.tuple(spaced, fc.nat(), symbols, fc.boolean()).map(([text, at, symbol, isInserted]) => {
      const place = at % (text.length + 1);
      return text.slice(0, place) + symbol + text.slice(isInserted ? place : place + 1);
    });
    fc.assert(
      fc.property(fc.oneof(texts, cut), fc.integer({ min: 1, max: 10 }), (text, piece) => {
        expect(outcome(() => inPieces(text, piece))).toBe(outcome(() => JSON.parse(text)));
      }),
      { numRuns: runs(3000) },
    );
  });

  test.each([
    ['a comma is missing after a large member', '{"a":{"b":1,"c":2} "d":{"e":3,"f":4}}'],
    ['a comma is missing between large members', '[[1,2,3] [4,5,6]]'],
    ['a comma is too many before the end', '{"a":[1,2,3],}'],
    ['a comma is too many between members', '[[1,2,3],,[4,5,6]]'],
    ['a colon is missing', '{"a" [1,2,3]}'],
    ['a key is missing', '{[1,2,3]}'],
    ['another bracket is closed', '{"a":[1,2,3}}'],
    ['there are two values', '[1,2,3] [4,5,6]'],
    ['a bracket stays open', '[[1,2,3]'],
  ])('is rejected where %s', (_what, text) => {
    expect(() => inPieces(text, 1)).toThrow();
  });

  test('keeps __proto__ as an ordinary key, and of two values of a key the last', () => {
    const text = '{"__proto__":{"a":1,"b":2},"c":[1,2],"d":3,"c":[3,4]}';
    const value = inPieces(text, 1) as object;
    expect(JSON.stringify(value)).toBe('{"__proto__":{"a":1,"b":2},"c":[3,4],"d":3}');
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  });
});

describe('a large body', () => {
  const data = Object.fromEntries(
    Array.from({ length: 20_000 }, (_, index) => [`key-${index}`, 'x'.repeat(80)]),
  );

  test('is parsed in many steps, to the value that it has in one', () => {
    const text = JSON.stringify({ request: { object: { data }, size: 1 } }).replace(
      '1}',
      '12345678901234567890}',
    );
    const { value, steps } = ended(parseInSteps(text));
    expect(value).toEqual(parseBoundedJson(text));
    expect(steps).toBeGreaterThan(10);
  });

  test('has the error in the words of one that is parsed at once', () => {
    for (const text of ['{"a":1}}', '['.repeat(2000), `{"a":"${'x'.repeat(200_000)}","b":[1,2,}`])
      expect(() => ended(parseInSteps(text))).toThrow(messageOf(() => parseBoundedJson(text)));
  });
});

function messageOf(parse: () => unknown): string {
  try {
    parse();
  } catch (error) {
    return (error as Error).message;
  }
  throw new TypeError('it is JSON');
}
