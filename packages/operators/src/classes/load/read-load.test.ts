import { expect, test } from 'vitest';
import type { MetricsAnswer, Series } from './metrics-source.ts';
import { coverageQueries, type LoadTarget, loadQueries, secondsOf } from './load-queries.ts';
import { readLoad } from './read-load.ts';

const TARGET = { namespace: 'shop', pods: ['a', 'b', 'c'], range: '10m' };
const { signal } = new AbortController();
const of = (pod: string, value: number): Series => ({ labels: { pod }, value });
const each = (value: number, pods = TARGET.pods): readonly Series[] => pods.map((pod) => of(pod, value));

type Has = {
  /** Of CPU and of requests: seconds since the newest sample. */
  readonly ages?: readonly Series[];
  readonly requestAges?: readonly Series[];
  /** Samples in the range. */
  readonly counts?: readonly Series[];
  readonly requestCounts?: readonly Series[];
  readonly cpu?: readonly Series[];
  readonly memory?: readonly Series[];
  readonly rps?: readonly Series[] | Error;
  readonly p99?: readonly Series[];
  readonly warning?: string;
};

const same = (series: readonly Series[] | Error, value: number): readonly Series[] =>
  series instanceof Error ? [] : series.map(({ labels }) => ({ labels, value }));

/** A source in which each query finds this: with samples each 15 seconds, the newest of 5 seconds ago, unless it says otherwise. */
function sourceWith(has: Has, asked: string[] = []) {
  const { cpu = [], memory = [], rps = [], p99 = [], warning } = has;
  const { ages = same(cpu, 5), counts = same(cpu, 40) } = has;
  const { requestAges = same(rps, 5), requestCounts = same(rps, 40) } = has;
  const found = (promql: string): readonly Series[] | Error => {
    const isOfRequests = /(_count|requests_seconds)\{/.test(promql);
    if (promql.startsWith('time()')) return isOfRequests ? requestAges : ages;
    if (promql.includes('count_over_time')) return isOfRequests ? requestCounts : counts;
    if (promql.includes('_bucket')) return p99;
    if (isOfRequests) return rps;
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
  expect(found).toMatchObject({ signals: { cpu: 600, podCpu: 300 }, age: 5, intervals: { cpu: 15 } });
  expect(found.problem).toBeUndefined();
  expect(await read({ cpu: [{ labels: {}, value: 900 }] })).toMatchObject({ age: 5, signals: { cpu: 900 } });
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
  await readLoad(sourceWith({ cpu: each(1), rps: each(1) }, asked), TARGET, signal);
  expect(asked).toHaveLength(8);
  for (const query of asked) expect(query).toContain('namespace="shop", pod=~"a|b|c"');
});

test('names cannot end their quotes', () => {
  const target = { namespace: 'a"} or vector(1) #', pods: ['x.y', 'z"|.*'], range: '1m' };
  for (const query of [loadQueries(target).cpu, coverageQueries(target).cpu.age]) {
    expect(query).toContain(String.raw`namespace="a\"} or vector(1) #"`);
    expect(query).toContain(String.raw`pod=~"x\\.y|z\"\\|\\.\\*"`);
  }
});

test('CRT-A18 the requests of a Service of Knative are counted by Knative, in the dialect of its version', () => {
  const queries = (dialect: 'otel' | 'legacy') =>
    loadQueries({ ...TARGET, knative: { services: ['cart'], dialect } });
  const scope = 'k8s_namespace_name="shop", kn_service_name="cart"';
  expect(queries('otel').rps).toContain(`kn_serving_invocation_duration_seconds_count{${scope}}[10m]`);
  expect(queries('otel').p99).toMatch(/1000 \* .*kn_serving_invocation_duration_seconds_bucket/);
  expect(JSON.stringify(queries('otel'))).not.toMatch(/revision_request|activator|http_server/);
  const old = 'namespace_name="shop", service_name="cart"';
  expect(queries('legacy').rps).toContain(`revision_request_latencies_count{${old}}[10m]`);
  // In milliseconds as it is.
  expect(queries('legacy').p99).toMatch(/\(1 \* .*revision_request_latencies_bucket/);
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
  const source = sourceWith({ ages, cpu: each(100), rps: each(1) }, asked);
  expect(await readLoad(source, TARGET, signal)).toMatchObject({ age: 130.6, signals: { cpu: 300 } });
  const loads = asked.filter((query) => !query.includes('timestamp') && !query.includes('count_over_time'));
  expect(loads).toHaveLength(4);
  for (const query of loads) expect(query).toContain('[10m] offset 130s');
});

test('CRT-A21 a pod whose samples have stopped while those of others go on is not known', async () => {
  const ages = [of('a', 5), of('b', 42), of('c', 43)];
  const found = await read({ ages, cpu: each(100) });
  expect(found).toMatchObject({ signals: { cpu: 300, isPartial: true }, problem: { reason: 'PartialData' } });
  const most = await read({ ages: [of('a', 5), of('b', 43), of('c', 44)], cpu: each(100) });
  expect(most.signals).toBeUndefined();
});

test('CRT-A21 a pod that has samples again, and none of before, is not known as a whole', async () => {
  const counts = [of('a', 40), of('b', 40), of('c', 31)];
  expect((await read({ counts, cpu: each(100) })).signals).toMatchObject({ cpu: 300, isPartial: true });
  const enough = [of('a', 40), of('b', 40), of('c', 32)];
  expect((await read({ counts: enough, cpu: each(100) })).signals?.isPartial).toBeUndefined();
});

test('CRT-A21 of a pod that is young, fewer samples are all', async () => {
  const target = { ...TARGET, running: new Map(Object.entries({ a: 9000, b: 9000, c: 180 })) };
  const of4 = [of('a', 40), of('b', 40), of('c', 7)];
  expect((await read({ counts: of4, cpu: each(100) }, target)).signals?.isPartial).toBeUndefined();
  expect((await read({ counts: of4, cpu: each(100) })).signals?.isPartial).toBe(true);
});

test('CRT-A21 of a pod that is young, and a short range, a gap in the samples does not look like less load', async () => {
  const after = (seconds: number, count: number) => {
    const running = new Map(TARGET.pods.map((pod) => [pod, seconds]));
    const has = { counts: each(count), cpu: each(100) };
    return readLoad(sourceWith(has), { ...TARGET, range: '20s', running }, signal, { cpu: 2 });
  };
  expect((await after(52, 4)).signals?.isPartial).toBe(true);
  expect((await after(14, 2)).signals?.isPartial).toBe(true);
  expect((await after(52, 9)).signals?.isPartial).toBeUndefined();
  expect((await after(14, 5)).signals?.isPartial).toBeUndefined();
});

test('CRT-A21 the interval of samples is the least that was seen: a gap of all pods does not look like a longer one', async () => {
  const has = { counts: each(20), cpu: each(100) };
  expect((await read(has)).signals?.isPartial).toBeUndefined();
  const known = await readLoad(sourceWith(has), TARGET, signal, { cpu: 15 });
  expect(known).toMatchObject({ signals: { isPartial: true }, intervals: { cpu: 30 } });
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

test('CRT-A22 requests that have stopped, or have just come back, are those of some pods alone', async () => {
  const has = { cpu: each(100), rps: each(10) };
  const stopped = await read({ ...has, requestAges: [of('a', 5), of('b', 5), of('c', 60)] });
  expect(stopped.signals).toMatchObject({ rps: 20, rpsCpu: 200 });
  const back = await read({ ...has, requestCounts: [of('a', 40), of('b', 4), of('c', 40)] });
  expect(back.signals).toMatchObject({ rps: 20, rpsCpu: 200 });
  const all = await read({ ...has, requestAges: each(60) });
  expect(all.signals?.rps).toBeUndefined();
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
  const sums = asked.filter((query) => query.includes('increase'));
  expect(sums).toHaveLength(3);
  for (const query of sums) expect(query).toContain('pod=~"a|b|c|z"');
  for (const query of asked.filter((one) => !sums.includes(one))) expect(query).toContain('pod=~"a|b|c"');
});

test('CRT-A25 latency is read of buckets by le and by vmrange in one query, and says which there were', async () => {
  const { p99 } = loadQueries(TARGET);
  expect(p99).toContain('sum by (le)');
  expect(p99).toContain('sum by (vmrange)');
  const latency = (form: string): readonly Series[] => [{ labels: { kubewright_form: form }, value: 40 }];
  const has = { cpu: each(100), rps: each(10) };
  for (const form of ['classic', 'vmrange', 'native'])
    expect((await read({ ...has, p99: latency(form) })).signals).toMatchObject({ rps: 30, p99: 40, form });
  expect((await read(has)).signals).toMatchObject({ rps: 30, form: 'classic' });
  expect((await read({ cpu: each(100) })).signals).not.toHaveProperty('form', expect.anything());
});

test('CRT-A25 a histogram that is one series is counted by what is in it, and no function of it is asked for before it is seen', async () => {
  const native = { ...TARGET, histograms: 'native' } as const;
  const { rps, p99 } = loadQueries(native);
  expect(rps).toContain('histogram_count(increase(http_server_requests_seconds{namespace="shop"');
  expect(p99).toContain('histogram_quantile(0.99, sum(increase(http_server_requests_seconds{');
  const { age, count } = coverageQueries(native).requests;
  for (const query of [age, count]) expect(query).toContain('(http_server_requests_seconds{');
  const asked: string[] = [];
  const found = await readLoad(sourceWith({ cpu: each(100) }, asked), native, signal);
  expect(found.hasNoRequests).toBe(true);
  expect(asked.join()).not.toContain('histogram_');
});
