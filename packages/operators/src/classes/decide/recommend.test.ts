import { expect, test } from 'vitest';
import { missingSignals, recommend } from './recommend.ts';

test.each([
  ['CRT-A01 throughput and latency', { cpu: 225, rps: 11, p99: 297.5 }, { min_throughput_rps: 200 }, 500, 10],
  ['CRT-A02 a little less than a replica', { cpu: 499 }, {}, 500, 1],
  ['CRT-A02 just one', { cpu: 500 }, {}, 500, 1],
  ['CRT-A02 a little more', { cpu: 501 }, {}, 500, 2],
  ['CRT-A03 slow', { cpu: 1000, p99: 300 }, {}, 500, 3],
  ['CRT-A03 not slow yet', { cpu: 1000, p99: 250 }, {}, 500, 2],
  ['CRT-A04 twice the throughput', { cpu: 900, rps: 50 }, { min_throughput_rps: 100 }, 500, 4],
  ['CRT-A05 no traffic', { cpu: 900, rps: 0 }, { min_throughput_rps: 100 }, 500, 2],
  [
    'CRT-A22 some of its pods counted',
    { cpu: 900, rps: 50, rpsCpu: 450 },
    { min_throughput_rps: 100 },
    500,
    2,
  ],
  ['CRT-A09 a bound of its own', { cpu: 500, p99: 150 }, { max_latency_ms: 100 }, 500, 2],
  ['CRT-A10 smaller replicas', { cpu: 500 }, {}, 250, 2],
  ['idle', { cpu: 0 }, {}, 500, 1],
])('%s', (_title, signals, requirements, cpuPerPod, replicas) => {
  expect(recommend(signals, requirements, cpuPerPod).replicas).toBe(replicas);
});

test('CRT-A05 the basis names the signals, not their values', () => {
  expect(recommend({ cpu: 900, rps: 0 }, { min_throughput_rps: 100 }, 500).basis).toBe('cpu, no traffic');
  expect(recommend({ cpu: 225, rps: 11, p99: 300 }, { min_throughput_rps: 200 }, 500).basis).toBe(
    'throughput, latency',
  );
});

test('CRT-A22 no value is not 0: a signal that a class requires, or went by, is missing', () => {
  const required = { min_throughput_rps: 100 };
  const byLatency = { basis: 'cpu, latency' };
  expect(missingSignals({ cpu: 900 }, required, undefined)).toEqual(['throughput']);
  expect(missingSignals({ cpu: 900, rps: 0 }, required, undefined)).toEqual([]);
  expect(missingSignals({ cpu: 900 }, {}, { basis: 'cpu' })).toEqual([]);
  expect(missingSignals({ cpu: 900, rps: 5 }, {}, byLatency)).toEqual(['latency']);
  expect(missingSignals({ cpu: 900, rps: 0 }, {}, byLatency)).toEqual([]);
  expect(missingSignals({ cpu: 900 }, { max_latency_ms: 100 }, undefined)).toEqual(['latency']);
  expect(recommend({ cpu: 900 }, required, 500).basis).toBe('cpu');
});
