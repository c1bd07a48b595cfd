import { expect, test } from 'vitest';
import { createFailureBackoff } from './failure-backoff.ts';

test('each failure doubles the wait, up to a quarter of an hour, and half an hour without one ends it', () => {
  const backoff = createFailureBackoff();
  expect(backoff.wait('a', 0)).toBeLessThanOrEqual(0);
  const waits: number[] = [];
  let now = 0;
  for (let failure = 0; failure < 12; failure++) {
    backoff.note('a', now);
    const wait = backoff.wait('a', now);
    waits.push(wait / 1000);
    now += wait;
  }
  expect(waits).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900]);
  expect(backoff.wait('b', now)).toBeLessThanOrEqual(0);
  now += 31 * 60_000;
  backoff.note('a', now);
  expect(backoff.wait('a', now)).toBe(1000);
});
