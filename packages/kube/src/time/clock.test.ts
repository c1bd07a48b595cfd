import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { systemClock } from './clock.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});
afterEach(() => {
  // First: a spy that another file of the process restores later would put the fake timer back in place of the real one.
  vi.restoreAllMocks();
  vi.useRealTimers();
});

it('never hands the platform a delay that it would warn of', async () => {
  const handed = vi.spyOn(globalThis, 'setTimeout');
  const delays = [-1, -Infinity, Number.NaN, 0, 2 ** 31 - 1, 2 ** 31, 2 ** 40, Infinity];
  const cancels = delays.map((ms) => systemClock.after(ms, () => undefined));
  expect(handed.mock.calls.map(([, ms]) => ms)).toEqual([0, 0, 0, 0, ...Array(4).fill(2 ** 31 - 1)]);
  for (const cancel of cancels) cancel();
  expect(vi.getTimerCount()).toBe(0);
});

it('waits as long as it is asked to, past the longest delay that the platform takes', async () => {
  let fired = 0;
  systemClock.after(2 ** 32, () => (fired += 1));
  vi.advanceTimersByTime(2 ** 32 - 1);
  expect(fired).toBe(0);
  vi.advanceTimersByTime(1);
  expect(fired).toBe(1);
});
