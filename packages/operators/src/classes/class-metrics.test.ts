import type { Clock } from '@kubewright/runtime';
import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import type { ClassRuntime } from './api.ts';
import { createClassMetrics } from './class-metrics.ts';
import type { ClassLoad } from './class-load.ts';
import type { LivePod } from './decide/observed-class.ts';
import { readClasses } from './load/read-classes.ts';
import type { MetricsSource } from './load/metrics-source.ts';
import { PODS } from './observe.ts';
import { at, classOf, podOf, SETTINGS, statusOf } from './testing/class-bench.ts';

/** A source that has a value for each pod, 40 samples old as one is. */
const source: MetricsSource = {
  async query(promql) {
    const value = promql.includes('count_over_time') ? 40 : 5;
    const isNone = promql.includes('requests') || !promql.includes('hello-1');
    return { series: isNone ? [] : [{ labels: { pod: 'hello-1' }, value }] };
  },
};

/** A class whose load is read at some seconds, with the pods that it has then; and the age of it in the metrics. */
function measured() {
  const bare = classOf();
  const runtime: ClassRuntime = { ...bare, status: statusOf(bare, 'available', 'Ready', 0) };
  const loads = new Map<string, ClassLoad>();
  const registry = new Registry();
  let seconds = 0;
  let pods: readonly LivePod[] = [];
  const clock: Partial<Clock> = { now: () => at(seconds).getTime(), monotonic: () => seconds * 1000 };
  const cache = {
    list: () => [runtime],
    byIndex: (ref: unknown) => (ref === PODS ? pods : []),
    informer: () => ({ served: false, addHandler: () => undefined }),
  };
  const manager = { cache: cache as never, clock: clock as Clock };
  createClassMetrics({ ...manager, registry }, loads);
  const workloads = new Map();
  return async (t: number, now: readonly LivePod[]): Promise<string | undefined> => {
    [seconds, pods] = [t, now];
    const before = loads.get('default/hello');
    const classes = [{ runtime, workloads, before }];
    const { read } = await readClasses({ manager, source, settings: SETTINGS }, classes, AbortSignal.any([]));
    for (const { load } of read) if (load !== undefined) loads.set('default/hello', load);
    const line = /^crm_nfr_recommendation_age_seconds\{.*function="main"\} (\d+)$/m;
    return line.exec(await registry.metrics())?.[1];
  };
}

test('CRT-D49 a function that is scaled to zero has no load whose age could alarm somebody', async () => {
  const ageAt = measured();
  const running = [podOf(classOf(), { phase: 'Running', startTime: '2025-12-31T00:00:00Z' })];
  expect(await ageAt(60, running)).toBe('5');
  expect(await ageAt(3600, [])).toBeUndefined();
  expect(await ageAt(3660, running)).toBe('5');
});

test('CRT-D49 a function that runs and of which nothing is known any more has one', async () => {
  const ageAt = measured();
  const running = (name: string) => [
    podOf(classOf(), { phase: 'Running', startTime: '2025-12-31T00:00:00Z' }, name),
  ];
  expect(await ageAt(60, running('hello-1'))).toBe('5');
  expect(await ageAt(3600, running('hello-2'))).toBe('3545');
});
