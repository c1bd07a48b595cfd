import { expect, test } from 'vitest';
import type { MetricsAnswer, Series } from './metrics-source.ts';
import { ageQuery, type LoadTarget, loadQueries, secondsOf } from './load-queries.ts';
import { readLoad } from './read-load.ts';

const TARGET = { namespace: 'shop', pods: ['a', 'b', 'c'], range: '10m' };
const { signal } = new AbortController();
const of = (pod: string, value: number): Series => ({ labels: { pod }, value });
const each = (value: number, pods = TARGET.pods): readonly Series[] => pods.map((pod) => of(pod, value));

type Has = {
  readonly ages?: readonly Series[];
  readonly cpu?: readonly Series[];
  readonly memory?: readonly Series[];
  readonly rps?: readonly Series[] | Error;
  readonly p99?: readonly Series[];
  readonly warning?: string;
};

/** A source in which each query finds this; ages are those of `cpu` where they are not given. */
function sourceWith(
  { cpu = [], memory = [], rps = [], p99 = [], warning, ...rest }: Has,
  asked: string[] = [],
) {
  const { ages = cpu.map(({ labels }) => ({ labels, value: 5 })) } = rest;
  const found = (promql: string): readonly Series[] | Error => {
    if (promql.startsWith('time()')) return ages;
    if (promql.includes('_bucket')) return p99;
    if (promql.includes('_count')) return rps;
    return promql.includes('working_set') ? memory : cpu;
  };
  return {
    async query(promql: string): Promise<MetricsAnswer> {
      asked.push(promql);
      const series = found(promql);
      if (series instanceof Error) throw series;
      return { series, ...(warning === undefined ? {} : { warning }) };
    },
  };
}

const read = (has: Has, target: LoadTarget = TARGET) => readLoad(sourceWith(has), target, signal);

test('the sum of all pods; a series without the label is the total', async () => {
  const found = await read({ cpu: [of('a', 100), of('b', 200), of('c', 300)] });
  expect(found).toMatchObject({ signals: { cpu: 600, podCpu: 300 }, age: 5 });
  expect(found.problem).toBeUndefined();
  expect(await read({ cpu: [{ labels: {}, value: 900 }] })).toEqual({ age: 5, signals: { cpu: 900 } });
});

test('CRT-A06 CRT-A07 nothing found, or too little of it, is no load, and it is said', async () => {
  const none = await read({});
  expect(none.signals).toBeUndefined();
  expect(none.problem).toEqual({
    reason: 'NoSeries',
    message:
      'none of container_cpu_usage_seconds_total for 3 pods in shop: check the labels namespace, pod and container of the source, and that kubelets are scraped',
  });
  const one = await read({ cpu: [of('a', 100)] });
  expect(one.signals).toBeUndefined();
  expect(one.problem).toMatchObject({
    reason: 'PartialData',
    message: expect.stringContaining('1 of 3 pods'),
  });
  const two = await read({ cpu: [of('a', 100), of('b', 200)] });
  expect(two).toMatchObject({ signals: { cpu: 300, isPartial: true }, problem: { reason: 'PartialData' } });
});

test('CRT-A08 exactly the pods of the function, in the namespace as a quoted label', async () => {
  const asked: string[] = [];
  await readLoad(sourceWith({ cpu: each(1) }, asked), TARGET, signal);
  expect(asked).toHaveLength(5);
  for (const query of asked) expect(query).toContain('namespace="shop", pod=~"a|b|c"');
});

test('names cannot end their quotes', () => {
  const target = { namespace: 'a"} or vector(1) #', pods: ['x.y', 'z"|.*'], range: '1m' };
  for (const query of [loadQueries(target).cpu, ageQuery(target)]) {
    expect(query).toContain(String.raw`namespace="a\"} or vector(1) #"`);
    expect(query).toContain(String.raw`pod=~"x\\.y|z\"\\|\\.\\*"`);
  }
});

test('CRT-A18 the requests of a Service of Knative are counted by Knative, in the dialect of its version', () => {
  const queries = (dialect: 'otel' | 'legacy') =>
    loadQueries({ ...TARGET, knative: { service: 'cart', dialect } });
  const scope = 'k8s_namespace_name="shop", kn_service_name="cart"';
  expect(queries('otel').rps).toContain(`kn_serving_invocation_duration_seconds_count{${scope}}[10m]`);
  expect(queries('otel').p99).toMatch(/^1000 \* .*kn_serving_invocation_duration_seconds_bucket/);
  expect(JSON.stringify(queries('otel'))).not.toMatch(/revision_request|activator|http_server/);
  const old = 'namespace_name="shop", service_name="cart"';
  expect(queries('legacy').rps).toContain(`revision_request_latencies_count{${old}}[10m]`);
  // In milliseconds as it is.
  expect(queries('legacy').p99).toMatch(/^1 \* .*revision_request_latencies_bucket/);
  expect(queries('otel').cpu).toBe(loadQueries(TARGET).cpu);
});

test('CRT-A20 increases are divided by the range: a rate is of the life of a series on some sources', () => {
  for (const query of Object.values(loadQueries(TARGET))) expect(query).not.toContain('rate(');
  expect(loadQueries(TARGET).cpu).toMatch(/^1000 \/ 600 \* sum by \(pod\) .*increase\(/);
  expect(['90s', '10m', '2h'].map(secondsOf)).toEqual([90, 600, 7200]);
});

test('CRT-A20 what is collected twice counts once, and a container that was restarted with the one before', () => {
  const { cpu, rps } = loadQueries(TARGET);
  expect(cpu).toContain('max by (pod, container, id, cpu)');
  expect(rps).toContain(
    'max without (job, instance, endpoint, service, replica, prometheus, prometheus_replica)',
  );
});

test('CRT-A21 the load is that of the newest sample, and is as old as that', async () => {
  const asked: string[] = [];
  const ages = [of('a', 130.6), of('b', 140), of('c', 131)];
  const source = sourceWith({ ages, cpu: each(100) }, asked);
  expect(await readLoad(source, TARGET, signal)).toMatchObject({ age: 130.6, signals: { cpu: 300 } });
  const [, ...others] = asked;
  expect(others).toHaveLength(4);
  for (const query of others) expect(query).toContain('[10m] offset 130s');
});

test('CRT-A21 a pod whose samples have stopped while those of others go on is not known', async () => {
  const ages = [of('a', 5), of('b', 150), of('c', 160)];
  const found = await read({ ages, cpu: each(100) });
  expect(found).toMatchObject({ signals: { cpu: 300, isPartial: true }, problem: { reason: 'PartialData' } });
  const most = await read({ ages: [of('a', 5), of('b', 200), of('c', 160)], cpu: each(100) });
  expect(most.signals).toBeUndefined();
});

test('CRT-A21 samples of less than a second ago are of now: no source takes an offset of 0 s', () => {
  expect(Object.values(loadQueries(TARGET, 0.9)).join()).not.toContain('offset');
});

test('CRT-A21 a source whose clock is behind that of its parts has samples of now', async () => {
  expect(await read({ ages: each(-3), cpu: each(100) })).toMatchObject({ age: 0, signals: { cpu: 300 } });
});

test('CRT-A22 throughput is that of pods whose CPU is known, too: of some alone, a request costs the same', async () => {
  const cpu = [of('a', 100), of('b', 200), of('c', 300)];
  const whole = await read({ cpu, rps: each(10), p99: [{ labels: {}, value: 40 }] });
  expect(whole.signals).toMatchObject({ rps: 30, p99: 40 });
  expect(whole.signals?.rpsCpu).toBeUndefined();
  const some = await read({ cpu, rps: each(10, ['a', 'b']), p99: [{ labels: {}, value: 40 }] });
  expect(some.signals).toMatchObject({ cpu: 600, rps: 20, rpsCpu: 300 });
  expect(some.signals).not.toHaveProperty('p99', expect.anything());
  const few = await read({ cpu, rps: each(10, ['a']), p99: [{ labels: {}, value: 40 }] });
  expect(few.signals?.rps).toBeUndefined();
});

test('CRT-A22 a query of one signal that fails is a signal that is missing, and no other', async () => {
  const found = await read({ cpu: each(100), rps: new RangeError('422'), p99: [{ labels: {}, value: 40 }] });
  expect(found.signals).toMatchObject({ cpu: 300 });
  expect(found.signals).not.toHaveProperty('rps', expect.anything());
});

test('CRT-A22 an answer with a warning is part of what there is', async () => {
  const warning = 'store 10.0.0.7 is away';
  const found = await read({ cpu: each(100), rps: each(10), warning });
  expect(found).toMatchObject({
    signals: { cpu: 300, isPartial: true },
    problem: { reason: 'PartialData', message: `the source has not read all that it has: ${warning}` },
  });
  expect(found.signals?.rps).toBeUndefined();
});

test('CRT-A23 the pods that have gone within the range are in the sums, and in no count of who is there', async () => {
  const asked: string[] = [];
  const target = { ...TARGET, gone: ['z'] };
  const source = sourceWith({ cpu: [...each(100), of('z', 50)], rps: [...each(10), of('z', 5)] }, asked);
  const found = await readLoad(source, target, signal);
  expect(found).toMatchObject({ signals: { cpu: 350, podCpu: 100, rps: 35 } });
  const [age = '', ...others] = asked;
  expect(age).toContain('pod=~"a|b|c"');
  const sums = others.filter((query) => !query.includes('working_set'));
  for (const query of sums) expect(query).toContain('pod=~"a|b|c|z"');
});
