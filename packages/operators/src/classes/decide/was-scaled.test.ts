import { expect, test } from 'vitest';
import { at, childrenOf, classOf, renderingOf, SETTINGS, statusOf, timeAt } from '../testing/class-bench.ts';
import { wasScaled } from './was-scaled.ts';

/** Whether the last change counts as a scale, `now` seconds after the beginning. */
function isScale({ applied, scaled, now }: { applied: number; scaled: number; now: number }): boolean {
  const runtime = classOf();
  const rendered = renderingOf(runtime);
  const { lifecycle = expect.fail('there is no lifecycle'), ...rest } = statusOf(
    runtime,
    'available',
    'Ready',
    0,
  );
  const detail = {
    function_key: 'main',
    recommended: 2,
    basis: 'cpu',
    observed_at: timeAt(0),
    current: 2,
    decision: 'NoChange',
    enforcement: { target: 2, since: timeAt(0), applied_at: timeAt(scaled) },
  };
  const status = {
    ...rest,
    lifecycle: { ...lifecycle, applied_hash: rendered.hash, applied_at: timeAt(applied) },
    nfr_details: [detail],
  };
  const observed = {
    runtime: { ...runtime, status },
    settings: SETTINGS,
    rendered,
    live: childrenOf(runtime),
    pods: [],
  };
  return wasScaled('hello', observed, at(now));
}

test.each([
  ['a scale after an apply', { applied: 10, scaled: 20, now: 30 }, true],
  ['an apply after a scale', { applied: 20, scaled: 10, now: 30 }, false],
  ['a scale longer ago than a rollout may take', { applied: 10, scaled: 20, now: 700 }, false],
  ['a scale after the clock was set back', { applied: 90, scaled: 20, now: 30 }, true],
  ['an apply after a scale, both before the clock was set back', { applied: 90, scaled: 80, now: 30 }, false],
])('%s', (_what, times, expected) => {
  expect(isScale(times)).toBe(expected);
});
