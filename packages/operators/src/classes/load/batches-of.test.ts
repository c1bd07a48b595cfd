import { describe, expect, test } from 'vitest';
import type { LoadTarget } from './load-queries.ts';
import type { MetricsAnswer, MetricsSource, Series } from './metrics-source.ts';
import { type LoadReading, readLoads } from './read-load.ts';

const { signal } = new AbortController();

/** Pods of a Deployment, as its ReplicaSet names them. */
function workload(name: string, pods = 1, more: Partial<LoadTarget> = {}): LoadTarget {
  const names = Array.from(
    { length: pods },
    (_, index) => `${name}-7d9c5bfd8-${String(index).padStart(5, 'x')}`,
  );
  return { namespace: 'shop', pods: names, range: '10m', ...more };
}

/** What a pod uses, in millicores: its name says it. */
const useOf = (pod: string): number => Buffer.from(pod).reduce((sum, byte) => sum + byte, 0);

type Sampled = { readonly ages?: Readonly<Record<string, number>>; readonly foreign?: readonly string[] };

/** A source that finds the pods that a query names, by namespace and name, and what is asked of them. */
function sourceOf(all: readonly LoadTarget[], { ages = {}, foreign = [] }: Sampled = {}) {
  const asked: string[] = [];
  const pods = [...all.flatMap((each) => [...each.pods, ...(each.gone ?? [])]), ...foreign];
  const source: MetricsSource = {
    async query(promql): Promise<MetricsAnswer> {
      asked.push(promql);
      const named = new RegExp(`^(?:${/pod=~"([^"]*)"/.exec(promql)?.[1]})$`);
      const found = pods.filter((pod) => named.test(pod));
      return { series: seriesOf(promql, found, ages) };
    },
  };
  return { source, asked };
}

function seriesOf(
  promql: string,
  pods: readonly string[],
  ages: Readonly<Record<string, number>>,
): readonly Series[] {
  const each = (value: (pod: string) => number): readonly Series[] =>
    pods.map((pod) => ({ labels: { pod }, value: value(pod) }));
  if (promql.startsWith('time()')) return each((pod) => ages[pod] ?? 5);
  if (promql.includes('count_over_time')) return each(() => 40);
  if (!promql.includes('histogram_quantile')) return each(useOf);
  if (!promql.includes('"workload"')) return [{ labels: {}, value: Math.max(...pods.map(useOf)) }];
  const byWorkload = new Map(pods.map((pod) => [pod.split('-').slice(0, -2).join('-'), useOf(pod)]));
  return [...byWorkload].map(([name, value]) => ({ labels: { workload: name }, value }));
}

async function read(source: MetricsSource, targets: readonly LoadTarget[]): Promise<readonly LoadReading[]> {
  const outcomes = await readLoads(
    source,
    targets.map((target) => ({ target })),
    signal,
  );
  return outcomes.map((one) => ('error' in one ? expect.fail('a query failed') : one));
}

const sumOf = ({ pods }: LoadTarget): number => pods.reduce((sum, pod) => sum + useOf(pod), 0);

describe('CRT-A45 the loads of many workloads take one query for each signal and namespace', () => {
  test('a thousand classes of one function in ten namespaces: eighty, and each has its own load', async () => {
    const targets = Array.from({ length: 1000 }, (_, index) =>
      workload(`class-${String(index).padStart(3, '0')}`, 1, { namespace: `shop-${index % 10}` }),
    );
    const { source, asked } = sourceOf(targets);
    const readings = await read(source, targets);
    expect(asked).toHaveLength(80);
    expect(readings.map(({ signals }) => signals?.cpu)).toEqual(targets.map(sumOf));
    expect(readings.map(({ signals }) => signals?.p99)).toEqual(targets.map(sumOf));
    expect(readings.every(({ problem }) => problem === undefined)).toBe(true);
    for (const query of asked) expect(query.length).toBeLessThan(16_384);
  });

  test('workloads whose names begin alike, or end like a hash, are kept apart', async () => {
    const targets = ['cart', 'cart-fn-0', 'cart-fn-1', 'cart-admin'].map((name, index) =>
      workload(name, index + 1),
    );
    const { source, asked } = sourceOf(targets, { foreign: ['cart-7d9c5bfd8-yyyyy', 'other-1-2'] });
    const readings = await read(source, targets);
    expect(asked).toHaveLength(8);
    expect(readings.map(({ signals }) => signals?.cpu)).toEqual(targets.map(sumOf));
    expect(readings.map(({ signals }) => signals?.rps)).toEqual(targets.map(sumOf));
  });

  test('a workload whose pods do not have its name is read for itself, and so is one with very many pods', async () => {
    const odd = { ...workload('cart'), pods: ['web-0', 'web-1'] };
    const large = workload('large', 120);
    const targets = [workload('a'), odd, large, workload('b')];
    const { source, asked } = sourceOf(targets);
    const readings = await read(source, targets);
    expect(readings.map(({ signals }) => signals?.cpu)).toEqual(targets.map(sumOf));
    // Those of two, of the odd one, and three times those of the large one.
    expect(asked).toHaveLength(8 + 8 + 24);
  });

  test('one whose samples have stopped is read as of its newest, and makes no other one old', async () => {
    const targets = [workload('a'), workload('b'), workload('stopped')];
    const [a = '', b = '', stopped = ''] = targets.flatMap(({ pods }) => pods);
    const { source, asked } = sourceOf(targets, { ages: { [a]: 2, [b]: 12, [stopped]: 400 } });
    const readings = await read(source, targets);
    expect(readings.map(({ age }) => age)).toEqual([12, 12, 400]);
    const offsets = asked.map((query) => /offset (\d+)s/.exec(query)?.[1]).filter((one) => one !== undefined);
    expect(new Set(offsets)).toEqual(new Set(['12', '400']));
    expect(asked).toHaveLength(4 + 4 + 4);
  });

  test('once a query of CPU fails, no more are sent, and what was read before it stays', async () => {
    const targets = ['a', 'b', 'c'].map((name) => workload(name, 1, { namespace: name }));
    const { source } = sourceOf(targets);
    let failed = 0;
    const failing: MetricsSource = {
      async query(promql, ...rest) {
        if (!promql.includes('namespace="a"')) {
          failed++;
          throw new TypeError('away');
        }
        return source.query(promql, ...rest);
      },
    };
    const outcomes = await readLoads(
      failing,
      targets.map((target) => ({ target })),
      signal,
    );
    expect(outcomes.map((one) => 'error' in one)).toEqual([false, true, true]);
    expect(failed).toBe(4);
  });
});
