import { type Clock, systemClock } from '@kubewright/client';
import { appsv1, corev1, type Transport } from '@kubewright/kube';
import { Registry, waitForObject } from '@kubewright/runtime';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { OperatorParts } from '../kit/operator.ts';
import { type OperatorTime, useOperator } from '../kit/testing/use-operator.ts';
import { CLASS_RUNTIMES, type ClassRuntime } from './api.ts';
import type { Signals } from './class-load.ts';
import { addClasses, classesParts } from './controller.ts';
import { coverageQueries, loadQueries } from './load/load-queries.ts';
import type { MetricsSource } from './load/metrics-source.ts';
import { prometheus } from './load/prometheus.ts';
import { readLoad, readLoads } from './load/read-load.ts';

const PREFIX = 'metrics.kubewright.dev/';
/** After a step of the load, the rates rise for so long. */
const RANGE = '4s';
/** Longer: no value in between is stable. */
const STABILITY_SECS = 6;
const COOLDOWN_SECS = 8;
const INTERVAL_SECS = 1;
/** Reads of the load after the last change, in which nothing may be applied again. */
const READS = 5;

type PrometheusSource = ReturnType<typeof prometheus>;
type Status = NonNullable<ClassRuntime['status']>;

/** The operator's time waits for its calls, those to Prometheus among them: a slow machine makes nothing late. */
type Time = OperatorTime & { readonly paced: <T>(call: Promise<T>) => Promise<T> };

/** Replicas that follow a load which a real Prometheus has measured: PromQL, rates and intervals are its own. */
export function measuredLoadContract(
  transport: () => Transport,
  prometheusUrl: () => string,
  time: Time,
): void {
  describe('replicas by a measured load', () => {
    const source = (clock: Clock): PrometheusSource =>
      prometheus({ url: prometheusUrl(), timeoutMs: 5000, clock });
    /** One for all reads of the tests: each source keeps connections, of which Prometheus accepts 512. */
    let asked: PrometheusSource;
    beforeAll(() => {
      asked = source(systemClock);
    });
    afterAll(() => asked.close());
    const env = {
      OPRC_CRM_PROM_RANGE: RANGE,
      OPRC_CRM_ENFORCEMENT_MAX_REPLICA_DELTA: '0',
    };
    const registry = new Registry();
    /** What the operator has queried. */
    const queried: string[] = [];
    const parts = measuredBy(source, time, queried);
    const classes = useOperator(transport, parts, { env, registry, time });
    const { namespace } = classes;
    const shop = { namespace, name: 'shop' };
    const { signal } = new AbortController();

    const write = (metadata = shop): Promise<unknown> => {
      const provision_config = { container_image: 'cart:1' };
      const wanted = {
        apiVersion: 'oaas.io/v1alpha1',
        kind: 'ClassRuntime',
        metadata,
        spec: {
          addons: [],
          functions: [{ function_key: 'cart', provision_config }],
          enforcement: { mode: 'enforce', dimensions: ['replicas'] },
          timeouts: {
            analyzer_interval_secs: INTERVAL_SECS,
            nfr_max_age_secs: 5,
            enforcement_stability_secs: STABILITY_SECS,
            enforcement_cooldown_secs: COOLDOWN_SECS,
          },
        },
      };
      return classes.admin.apply(CLASS_RUNTIMES, wanted, { fieldManager: 'test', force: true });
    };
    const until = async (holds: (status: Status) => boolean): Promise<Status> => {
      const found = await waitForObject(
        classes.admin,
        CLASS_RUNTIMES,
        shop,
        (live) => live?.status !== undefined && holds(live.status),
      );
      return found?.status ?? expect.fail('the class is gone');
    };
    const pods = async () => {
      const { items } = await classes.admin.list(corev1.pods, { namespace, labelSelector: 'app=shop' });
      return items;
    };
    /** All of the load is one pod's. */
    const use = async (cpu: string): Promise<void> => {
      const [pod] = (await pods()).toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
      const annotations = {
        [`${PREFIX}cpu`]: cpu,
        [`${PREFIX}custom.http_server_requests_seconds_count`]: '20',
      };
      const loaded = (await pods()).find(
        ({ metadata }) => metadata.annotations?.[`${PREFIX}cpu`] !== undefined,
      );
      const { metadata } = loaded ?? pod ?? expect.fail('the function has no pod');
      await classes.admin.patch(corev1.pods, metadata, {
        type: 'merge',
        body: { metadata: { annotations } },
      });
    };
    const applied = ({ last_applied_recommendations: all = [] }: Status) => all.map(({ target }) => target);
    const replicas = async (): Promise<number | undefined> =>
      (await classes.admin.get(appsv1.deployments, shop)).spec?.replicas;
    const measured = async (): Promise<Signals | undefined> => {
      const names = (await pods()).map(({ metadata }) => metadata.name);
      return (await readLoad(asked, { namespace, pods: names, range: RANGE }, signal)).signals;
    };

    /** How often the load of classes was looked at. */
    const reads = async (): Promise<number> => {
      const text = await registry.metrics();
      const counts = text.matchAll(/^controller_runtime_reconcile_total\{[^}]*"classload"[^}]*\} (\d+)$/gm);
      return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
    };

    test('all four signals are what the pods expose', async () => {
      await write();
      await until(({ phase }) => phase === 'available');
      await use('200m');
      const rounded = async () => {
        const { cpu = 0, rps = 0, p99 = 0, memory } = (await measured()) ?? {};
        // All requests are in the bucket from 50 to 100 ms.
        return [Math.round(cpu / 10) * 10, Math.round(rps), p99 > 50 && p99 <= 100, memory];
      };
      await expect.poll(rounded, { timeout: 60_000 }).toEqual([200, 20, true, 1_000_000]);
    });

    test('CRT-A45 in queries that several workloads share, each has the load that it has alone', async () => {
      const names = (await pods()).map(({ metadata }) => metadata.name);
      const target = { namespace, pods: names, range: '20s' };
      const other = { ...target, pods: ['other-7d9c5bfd8-abcde'] };
      const outcomes = await readLoads(asked, [{ target }, { target: other }], signal);
      const [own, none] = outcomes.map((one) => ('error' in one ? expect.fail('a query failed') : one));
      expect(own?.signals?.rps).toBeGreaterThan(0);
      expect(own?.signals?.p99).toBeGreaterThan(50);
      expect(own?.signals?.p99).toBeLessThanOrEqual(100);
      expect(none).toMatchObject({ problem: { reason: 'NoSeries' } });
      const services = ['a', 'b'];
      for (const dialect of ['otel', 'legacy'] as const) {
        const scope = {
          namespace,
          pods: names,
          range: RANGE,
          isShared: true,
          knative: { services, dialect },
        };
        const { rps, p99 } = loadQueries(scope);
        const { age, count } = coverageQueries(scope).requests;
        for (const query of [rps, p99, age, count])
          expect(await asked.query(query, signal)).toEqual({ series: [] });
      }
    });

    test("the queries of Knative's metrics are PromQL", async () => {
      for (const dialect of ['otel', 'legacy'] as const) {
        const knative = { services: ['a "quoted" one'], dialect };
        const { rps, p99 } = loadQueries({ namespace, pods: ['a.b'], range: RANGE, knative });
        for (const query of [rps, p99]) expect(await asked.query(query, signal)).toEqual({ series: [] });
      }
    });

    test('CRT-N04 a load step leads to one change within the stability window and one interval, and none during the cooldown', async () => {
      await until(({ nfr_details }) => nfr_details?.[0]?.recommended === 1);
      expect(applied(await until(() => true))).toEqual([]);
      await use('1400m');
      const first = await until((status) => applied(status).length > 0);
      expect(applied(first)).toEqual([3]);
      expect(await replicas()).toBe(3);
      const { stable, at } = enforced(first, 3);
      expect(stable).toBeGreaterThanOrEqual(STABILITY_SECS);
      expect(stable).toBeLessThanOrEqual(STABILITY_SECS + INTERVAL_SECS);

      await use('2400m');
      const second = await until((status) => applied(status).length > 1);
      expect(applied(second)).toEqual([3, 5]);
      const later = enforced(second, 5);
      const cooled = (later.at - at) / 1000;
      expect(cooled).toBeGreaterThanOrEqual(COOLDOWN_SECS);
      expect(later.stable).toBeGreaterThanOrEqual(STABILITY_SECS);
      // It waits for the later of the two.
      const late = Math.min(cooled - COOLDOWN_SECS, later.stable - STABILITY_SECS);
      expect(late).toBeLessThanOrEqual(INTERVAL_SECS);
    });

    test('CRT-N01 nothing is applied again while the load stays', async () => {
      const settled = await until(({ nfr_details }) => nfr_details?.[0]?.decision === 'NoChange');
      const before = await reads();
      await expect.poll(reads, { timeout: 60_000 }).toBeGreaterThanOrEqual(before + READS);
      const now = await until(() => true);
      expect(applied(now)).toEqual(applied(settled));
      expect(await replicas()).toBe(5);
    });

    test('CRT-A45 the classes of a namespace are read together', async () => {
      await write({ namespace, name: 'cart' });
      const both = /^time\(\) - .*container_cpu_usage_seconds_total\{.*(?:cart-.*shop-|shop-.*cart-)/;
      await expect.poll(() => queried.some((one) => both.test(one)), { timeout: 60_000 }).toBe(true);
      const [first, ...more] = queried.slice(queried.findIndex((one) => both.test(one)));
      expect(first).toMatch(both);
      const apart = more.filter(
        (one) => one.startsWith('time()') && one.includes('container_cpu') && !both.test(one),
      );
      expect(apart).toEqual([]);
    });
  });
}

/** The operator, whose source of metrics is Prometheus. */
function measuredBy(
  source: (clock: Clock) => MetricsSource,
  { paced }: Time,
  queried: string[],
): OperatorParts {
  const parts = classesParts.parts.map((part): OperatorParts['parts'][number] => {
    if (part.account !== 'classes') return part;
    return {
      ...part,
      add(manager, env) {
        const asked = source(manager.clock);
        const query: MetricsSource['query'] = (promql, signal) => {
          queried.push(promql);
          return paced(asked.query(promql, signal));
        };
        addClasses(manager, env, { source: { query } });
      },
    };
  });
  return { ...classesParts, parts };
}

/**
 * By the operator's clock: when the function was found to have so many replicas, and for how many seconds that had been its target. Not
 * by `since`: at the very look at which they are there, the load may ask for others.
 */
function enforced(
  { nfr_details: [detail] = [] }: Status,
  replicas: number,
): { readonly at: number; readonly stable: number } {
  const { history = [] } = detail ?? {};
  const done = history.findIndex(({ current }) => current === replicas);
  const begun = history.slice(0, done).findLastIndex(({ target }) => target !== replicas) + 1;
  const [at, since] = [history[done], history[begun]].map((point) => Date.parse(point?.at ?? ''));
  if (at === undefined || since === undefined || begun >= done) expect.fail(`no ${replicas} in the history`);
  return { at, stable: (at - since) / 1000 };
}
