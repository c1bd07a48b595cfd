import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { canonicalBytes } from './canonical-bytes.ts';
import { deepFreeze } from './deep-freeze.ts';
import { jsonEqual } from './json-equal.ts';
import { parseJson } from './parse-json.ts';
import { compareCodePoints } from './compare-code-points.ts';
import { canonicalJson, stringifyJson } from './stringify-json.ts';
import type { Json } from './json.ts';

test('a bigint is written as an integer wherever it stands', () => {
  expect(stringifyJson({ b: [9007199254740993n], a: null })).toBe('{"b":[9007199254740993],"a":null}');
});

test('the canonical form sorts keys as Go sorts them', () => {
  expect(canonicalJson({ b: 1, a: { d: 2, c: [{ z: 1, y: 2 }] } })).toBe(
    '{"a":{"c":[{"y":2,"z":1}],"d":2},"b":1}',
  );
  expect(['😀', '\uff5e', 'z'].sort(compareCodePoints)).toEqual(['z', '\uff5e', '😀']);
});

test('many different keys, long and unusual ones, are written as JSON has them, each time', () => {
  const keys = Array.from({ length: 3000 }, (_, index) => `key "${index}" ${'x'.repeat(index % 90)}`);
  const value = Object.fromEntries([...keys, '__proto__', '😀', '\uff5e'].map((key) => [key, 1]));
  const sorted = Object.keys(value).toSorted(compareCodePoints);
  const expected = `{${sorted.map((key) => `${JSON.stringify(key)}:1`).join(',')}}`;
  expect([canonicalJson(value), canonicalJson(value)]).toEqual([expected, expected]);
});

test('__proto__ is written like any other key', () => {
  expect(canonicalJson(parseJson('{"b":1,"__proto__":{"x":2}}'))).toBe('{"__proto__":{"x":2},"b":1}');
});

test('numbers are equal by value, not by how they are written', () => {
  expect(jsonEqual(parseJson('80'), parseJson('80.0'))).toBe(true);
  expect(jsonEqual(parseJson('9007199254740994'), parseJson('9007199254740994.0'))).toBe(true);
  expect(jsonEqual(parseJson('9007199254740993'), parseJson('9007199254740992'))).toBe(false);
  expect(jsonEqual('80', 80)).toBe(false);
});

test('null, absent, empty list and empty object are four different things', () => {
  const different: (Json | undefined)[] = [null, undefined, [], {}];
  for (const a of different) for (const b of different) expect(jsonEqual(a, b)).toBe(a === b);
  expect(jsonEqual({ a: null }, { b: null })).toBe(false);
});

test('equality is what the canonical form says', () => {
  const value = fc.jsonValue() as fc.Arbitrary<Json>;
  fc.assert(
    fc.property(value, value, (a, b) => {
      expect(jsonEqual(a, b)).toBe(canonicalJson(a) === canonicalJson(b));
      expect(jsonEqual(a, parseJson(canonicalJson(a)))).toBe(true);
    }),
  );
});

test('what is hashed are the bytes of the canonical form, of values of any size', () => {
  const value = fc.jsonValue({ maxDepth: 5 }) as fc.Arbitrary<Json>;
  const textOf = (one: Json): string => Buffer.from(canonicalBytes(one)).toString();
  const unusual = { b: ['"', '\\', 'é😀', '\ud800', '\u0001', 9007199254740993n, -0, 1e21], a: {}, c: [] };
  expect(textOf(unusual)).toBe(canonicalJson(unusual));
  fc.assert(
    fc.property(value, (one) => {
      expect(textOf(one)).toBe(canonicalJson(one));
    }),
  );
  for (const length of [65_530, 65_532, 65_534, 65_536, 200_000])
    for (const one of ['x', 'é'].map((char): Json => ({ text: char.repeat(length), after: [1] })))
      expect(textOf(one)).toBe(canonicalJson(one));
});

test('freezing reaches every level', () => {
  const value = deepFreeze({ a: [{ b: 1 }] });
  expect(() => Object.assign(value.a[0] ?? {}, { b: 2 })).toThrow(TypeError);
});
