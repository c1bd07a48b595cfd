import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { systemClock } from '@kubewright/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { FunctionLoad } from '../../packages/operators/src/classes/class-load.ts';
import { recommend } from '../../packages/operators/src/classes/decide/recommend.ts';
import { prometheus } from '../../packages/operators/src/classes/load/prometheus.ts';
import { nothingSeen, workloadLoads } from '../../packages/operators/src/classes/load/workload-loads.ts';
import { findMetrics } from '../../tools/assets/find-metrics.mjs';
import { type Prometheus, startPrometheus } from '../servers/prometheus.ts';

const PODS = ['cart-a', 'cart-b'];
/** Of each pod: cores, and requests per second, all of which take between 50 and 100 ms. */
const [CORES, RATE] = [0.5, 5];
const REQUIRED = { min_throughput_rps: 25 };
const PATIENCE = { timeout: 60_000, interval: 500 };

/** What the pods of a function that is under load expose. */
async function servePods(): Promise<Server> {
  const began = performance.now();
  const page = (pod: string): string => {
    const seconds = (performance.now() - began) / 1000;
    const labels = `namespace="shop",pod="${pod}"`;
    const count = Math.floor(RATE * seconds);
    const histogram = 'http_server_requests_seconds';
    const bucket = (le: string, value: number): string =>
      `${histogram}_bucket{${labels},le="${le}"} ${value}`;
    return [
      `container_cpu_usage_seconds_total{${labels},container="function",id="/${pod}"} ${CORES * seconds}`,
      bucket('0.05', 0),
      bucket('0.1', count),
      bucket('+Inf', count),
      `${histogram}_sum{${labels}} ${count * 0.075}`,
      `${histogram}_count{${labels}} ${count}`,
    ].join('\n');
  };
  const types = [
    '# TYPE container_cpu_usage_seconds_total counter',
    '# TYPE http_server_requests_seconds histogram',
  ];
  const text = (): string => {
    const lines = PODS.flatMap((pod) => page(pod).split('\n'));
    const isCpu = (line: string): boolean => line.startsWith('container');
    const [cpu, requests] = [lines.filter(isCpu), lines.filter((line) => !isCpu(line))];
    return `${[types[0], ...cpu, types[1], ...requests].join('\n')}\n`;
  };
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'text/plain; version=0.0.4').end(text());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

const program = process.env['KUBEWRIGHT_REAL'] === 'off' ? undefined : findMetrics('prometheus');
const why = program === undefined ? ' [needs npm run assets:metrics, and KUBEWRIGHT_REAL not off]' : '';

describe.skipIf(program === undefined).each([
  ['classic', {}],
  ['native', { convert_classic_histograms_to_nhcb: true }],
] as const)(`Prometheus 3 with %s histograms${why}`, (form, job) => {
  let pods: Server;
  let source: Prometheus;
  beforeAll(async () => {
    pods = await servePods();
    const { port } = pods.address() as AddressInfo;
    source = await startPrometheus(`127.0.0.1:${port}`, { ...(program && { program }), job });
  });
  afterAll(async () => {
    await source.stop();
    pods.close();
  });

  test('CRT-A25 throughput and latency are read, and lead to the replicas that are needed', async () => {
    const clock = systemClock;
    const reader = {
      source: prometheus({ url: source.url, timeoutMs: 5000, clock }),
      clock,
    };
    const running = { namespace: 'shop', pods: PODS, range: '10s' };
    const workload = { seen: nothingSeen(clock.monotonic()), before: undefined, running };
    const { signal } = new AbortController();
    const read = async (): Promise<Partial<FunctionLoad>> => {
      const [found = {}] = await workloadLoads(reader, [workload], signal);
      return 'error' in found ? {} : (found.load ?? {});
    };
    const replicas = ({ cpu = 0, rps, p99 }: Partial<FunctionLoad>): number =>
      recommend({ cpu, rps, p99 }, REQUIRED, 500).replicas;
    await expect.poll(async () => Math.round((await read()).rps ?? 0), PATIENCE).toBe(2 * RATE);
    const load = await read();
    expect(load.form).toBe(form);
    expect(load.p99).toBeGreaterThan(50);
    expect(load.p99).toBeLessThanOrEqual(100);
    // 25 requests of 100 millicores each, 500 per replica; a little more or less where the clock of scrapes was not even.
    expect([5, 6]).toContain(replicas(load));
  });
});
