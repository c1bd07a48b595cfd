import { expect, test } from 'vitest';
import { valueOfChunks, chunksOfValue } from './decoded-value.ts';

const pieces = (): readonly Uint8Array[] => ['{"a":', '1', '}'].map((text) => new TextEncoder().encode(text));

test('chunks carry their value together: all of them, in their order', () => {
  const value = Object.freeze({ a: 1 });
  const body = chunksOfValue(pieces(), () => value);
  const [first, second, third] = body as readonly [Uint8Array, Uint8Array, Uint8Array];
  expect(valueOfChunks([...body])).toBe(value);
  expect(valueOfChunks([first, second])).toBeUndefined();
  expect(valueOfChunks([first, third, second])).toBeUndefined();
  expect(valueOfChunks([first, second, third.subarray(0)])).toBeUndefined();
  expect(valueOfChunks(pieces())).toBeUndefined();
  expect(valueOfChunks([])).toBeUndefined();
});
