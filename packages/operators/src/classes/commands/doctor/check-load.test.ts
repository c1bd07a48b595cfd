import { expect, test } from 'vitest';
import { checkLoad } from './check-load.ts';

const CHECKED = { key: 'cart.add', pods: 2, requirements: {} };
const CPU = { cpu: 412.4, podCpu: 300, memory: 50 * 2 ** 20 };
const statusOf = (findings: ReturnType<typeof checkLoad>) =>
  Object.fromEntries(findings.map(({ check, status }) => [check, status]));

test('CRT-A46 each signal that the source has is there with its value', () => {
  const found = checkLoad(CHECKED, {
    age: 12,
    intervals: { cpu: 15 },
    signals: { ...CPU, rps: 8.04, p99: 40.2 },
  });
  expect(found.map(({ check, status, what }) => `${check} ${status}: ${what}`)).toEqual([
    'cart.add: cpu ok: 412m of 2 pods; the newest sample is 12 s old, one each 15 s',
    'cart.add: memory ok: at most 50 MiB in a pod',
    'cart.add: throughput ok: 8.0 requests per second',
    'cart.add: latency ok: 99 % within 40 ms',
  ]);
});

test('CRT-A46 a signal that is missing fails where the class requires it, and else warns', () => {
  const requirements = { min_throughput_rps: 10, max_latency_ms: 50 };
  const [, , throughput, latency] = checkLoad({ ...CHECKED, requirements }, { signals: { cpu: 1 } });
  expect([throughput?.status, latency?.status]).toEqual(['failed', 'failed']);
  expect(throughput?.fix).toContain('http_server_requests_seconds');
  expect(statusOf(checkLoad(CHECKED, { signals: { cpu: 1 } }))).toEqual({
    'cart.add: cpu': 'ok',
    'cart.add: memory': 'warning',
    'cart.add: throughput': 'warning',
    'cart.add: latency': 'warning',
  });
  expect(checkLoad({ ...CHECKED, requirements }, { signals: { cpu: 1, rps: 0 } }).at(-1)).toMatchObject({
    status: 'ok',
    what: 'there were no requests',
  });
});

test('CRT-A46 without CPU nothing else is said; part of it warns; without pods it is not known', () => {
  const problem = { reason: 'NoSeries', message: 'none of it' } as const;
  expect(checkLoad(CHECKED, { problem })).toEqual([
    { check: 'cart.add: cpu', status: 'failed', what: 'none of it' },
  ]);
  expect(checkLoad(CHECKED, { problem, signals: CPU })[0]).toMatchObject({
    status: 'warning',
    what: 'none of it',
  });
  expect(checkLoad({ ...CHECKED, pods: 0 }, {})).toMatchObject([
    { check: 'cart.add: pods', status: 'unknown' },
  ]);
});
