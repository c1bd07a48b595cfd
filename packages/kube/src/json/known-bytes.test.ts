import { expect, test } from 'vitest';
import { saidTogether, sayingTogether } from './known-bytes.ts';

const pieces = (): readonly Uint8Array[] => ['{"a":', '1', '}'].map((text) => new TextEncoder().encode(text));

test('pieces say together what they were given with: all of them, in their order', () => {
  const value = Object.freeze({ a: 1 });
  const body = sayingTogether(pieces(), () => value);
  const [first, second, third] = body as readonly [Uint8Array, Uint8Array, Uint8Array];
  expect(saidTogether([...body])).toBe(value);
  expect(saidTogether([first, second])).toBeUndefined();
  expect(saidTogether([first, third, second])).toBeUndefined();
  expect(saidTogether([first, second, third.subarray(0)])).toBeUndefined();
  expect(saidTogether(pieces())).toBeUndefined();
  expect(saidTogether([])).toBeUndefined();
});
