import { expect, test } from 'vitest';
import { PodsSeen } from './pods-seen.ts';

const RANGE = 600;

test('pods that have gone within the range count on, and those before it do not', () => {
  const seen = new PodsSeen(0);
  seen.see(['a', 'b'], 0, RANGE);
  expect(seen.see(['a'], 600, RANGE)).toEqual({ pods: ['a'], gone: ['b'], isWhole: true });
  expect(seen.see(['a'], 601, RANGE)).toMatchObject({ gone: [] });
  expect(seen.see([], 700, RANGE)).toMatchObject({ pods: [], gone: ['a'] });
});

test('until it was watched for a range, others may have run', () => {
  const seen = new PodsSeen(1000);
  expect(seen.see(['a'], 1599, RANGE).isWhole).toBe(false);
  expect(seen.see(['a'], 1600, RANGE).isWhole).toBe(true);
});

test('of a workload whose pods come and go without end, the last two hundred count', () => {
  const seen = new PodsSeen(0);
  for (let at = 0; at < 1000; at++) seen.see([`pod-${at}`], at, 10_000);
  const { pods, gone } = seen.see(['last'], 1000, 10_000);
  expect(pods).toEqual(['last']);
  expect(gone).toHaveLength(200);
  expect(gone).toContain('pod-999');
  expect(gone).not.toContain('pod-799');
});
