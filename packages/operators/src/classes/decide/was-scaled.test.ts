import { expect, test } from 'vitest';
import { at, childrenOf, classOf, renderingOf, SETTINGS, statusOf, timeAt } from '../testing/class-bench.ts';
import { wasScaled } from './was-scaled.ts';

/** Whether the last change counts as a scale at second 30. `applied`: the generation whose template was applied last. */
function isScale({ scaledAt, of, applied }: { scaledAt: number; of?: number; applied: number }): boolean {
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
    enforcement: {
      target: 2,
      since: timeAt(0),
      applied_at: timeAt(scaledAt),
      ...(of !== undefined && { applied_generation: of }),
    },
  };
  const status = {
    ...rest,
    lifecycle: {
      ...lifecycle,
      applied_hash: rendered.hash,
      applied_at: timeAt(20),
      applied_generation: applied,
    },
    nfr_details: [detail],
  };
  const observed = {
    runtime: { ...runtime, status },
    settings: SETTINGS,
    rendered,
    live: childrenOf(runtime),
    pods: [],
  };
  return wasScaled('hello', observed, at(30));
}

test.each([
  ['a scale after an apply', { scaledAt: 25, of: 2, applied: 2 }, true],
  ['an apply after a scale', { scaledAt: 25, of: 1, applied: 2 }, false],
  ['a scale longer ago than a rollout may take', { scaledAt: -600, of: 2, applied: 2 }, false],
  ['a scale after an apply, before which the clock was set back', { scaledAt: 10, of: 2, applied: 2 }, true],
  ['a scale by a version that recorded no generation', { scaledAt: 25, applied: 2 }, false],
])('%s', (_what, change, expected) => {
  expect(isScale(change)).toBe(expected);
});
