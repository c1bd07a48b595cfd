import { expect, test } from 'vitest';
import { UsualInterval } from './usual-interval.ts';

const PATIENCE = 1200;

test('a gap makes no interval longer, and a scrape interval that was changed is learned', () => {
  const interval = new UsualInterval();
  const at = (now: number, seen: number | undefined): number | undefined => {
    interval.learn(seen, now, PATIENCE);
    return interval.seconds;
  };
  expect(at(0, undefined)).toBeUndefined();
  expect(at(60, 15)).toBe(15);
  // A gap, and what comes after it fills the range.
  expect(at(120, 30)).toBe(15);
  expect(at(180, undefined)).toBe(15);
  expect(at(1100, undefined)).toBe(15);
  expect(at(1160, 150)).toBe(15);
  expect(at(1700, 30)).toBe(15);
  expect(at(1760, 15.5)).toBe(15);
  // From now on a sample each minute.
  expect(at(1900, 40)).toBe(15);
  expect(at(2500, 60)).toBe(15);
  expect(at(3100, 60)).toBe(15);
  expect(at(3101, 60)).toBe(60);
  expect(at(3160, 60)).toBe(60);
  expect(at(3220, 15)).toBe(15);
});
