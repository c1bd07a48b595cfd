import { expect, test } from 'vitest';
import type { FunctionLoad } from '../class-load.ts';
import type { MetricsSource } from './metrics-source.ts';
import { nothingSeen, workloadLoads } from './workload-loads.ts';

const PODS = ['a', 'b'];
const RANGE = 600;

/** A source whose histogram of requests is classic until `changes`, and native from then on: seconds. */
function changing(changes: number, now: () => number, asked: string[]): MetricsSource {
  const each = (value: number) => PODS.map((pod) => ({ labels: { pod }, value }));
  const answer = (promql: string) => {
    if (promql.includes('memory')) return [];
    const isNative = /requests_seconds\{/.test(promql);
    const isOfRequests = promql.includes('http_server_requests');
    if (isOfRequests && isNative !== now() >= changes) return [];
    if (promql.startsWith('time()')) return each(5);
    if (promql.includes('count_over_time')) return each(40);
    if (promql.includes('histogram_quantile'))
      return [{ labels: { kubewright_form: isNative ? 'native' : 'classic' }, value: 40 }];
    return each(isOfRequests ? 10 : 100);
  };
  return {
    async query(promql) {
      asked.push(promql);
      return { series: answer(promql) };
    },
  };
}

test('CRT-A25 a source that begins to convert histograms is followed at the next look, and asked no more queries for it', async () => {
  const looks: FunctionLoad[] = [];
  const counts: number[] = [];
  const seen = nothingSeen(0);
  for (let t = 0; t <= 300; t += 60) {
    const asked: string[] = [];
    const clock = { now: () => 1000 * t, monotonic: () => 1000 * t };
    const reader = { source: changing(150, () => t, asked), clock };
    const target = { namespace: 'shop', pods: PODS, range: `${RANGE}s` };
    const workload = { seen, before: looks.at(-1), running: target };
    const [read = {}] = await workloadLoads(reader, [workload], new AbortController().signal);
    const load = 'error' in read ? undefined : read.load;
    looks.push({ ...(load ?? expect.fail('no load')), generation: 1 });
    counts.push(asked.length);
  }
  expect(looks.map(({ form, rps }) => [form, rps])).toEqual([
    ['classic', 20],
    ['classic', 20],
    ['classic', 20],
    // Not 0: nothing is known of it.
    [undefined, undefined],
    ['native', 20],
    ['native', 20],
  ]);
  expect(looks[3]?.rpsAt).toBe(looks[2]?.rpsAt);
  expect(Math.max(...counts)).toBe(8);
});
