import { expect, test } from 'vitest';
import type { Series } from './metrics-source.ts';
import { loadQueries } from './load-queries.ts';
import { readLoad } from './read-load.ts';

const TARGET = { namespace: 'shop', pods: ['a', 'b', 'c'], range: '10m' };
const { signal } = new AbortController();

/** The load where CPU queries find `cpu`, and others nothing. */
function loadWhere(cpu: readonly Series[], asked: string[] = []) {
  const query = async (promql: string): Promise<readonly Series[]> => {
    asked.push(promql);
    return promql.includes('container_cpu_usage_seconds_total') ? cpu : [];
  };
  return readLoad({ query }, TARGET, signal);
}

const of = (pod: string, value: number): Series => ({ labels: { pod }, value });

test('the sum of all pods; a series without the label is the total', async () => {
  expect(await loadWhere([of('a', 100), of('b', 200), of('c', 300)])).toMatchObject({ cpu: 600 });
  expect(await loadWhere([{ labels: {}, value: 900 }])).toEqual({ cpu: 900 });
  expect(await loadWhere([of('a', 100), of('b', 200), of('c', 300)])).toMatchObject({ podCpu: 300 });
});

test('CRT-A06 CRT-A07 nothing found, or too little of it, is no load', async () => {
  expect(await loadWhere([])).toBeUndefined();
  expect(await loadWhere([of('a', 100)])).toBeUndefined();
  expect(await loadWhere([of('a', 100), of('b', 200)])).toMatchObject({ cpu: 300, isPartial: true });
});

test('CRT-A08 exactly the pods of the function, in the namespace as a quoted label', async () => {
  const asked: string[] = [];
  await loadWhere([], asked);
  for (const query of asked) expect(query).toContain('namespace="shop", pod=~"a|b|c"');
});

test('names cannot end their quotes', () => {
  const { cpu } = loadQueries({ namespace: 'a"} or vector(1) #', pods: ['x.y', 'z"|.*'], range: '1m' });
  expect(cpu).toContain(String.raw`namespace="a\"} or vector(1) #"`);
  expect(cpu).toContain(String.raw`pod=~"x\\.y|z\"\\|\\.\\*"`);
});

test('CRT-A18 the requests of a Service of Knative are counted by Knative, in the dialect of its version', () => {
  const queries = (dialect: 'otel' | 'legacy') =>
    loadQueries({ ...TARGET, knative: { service: 'cart', dialect } });
  const scope = 'k8s_namespace_name="shop", kn_service_name="cart"';
  expect(queries('otel')).toMatchObject({
    rps: `sum(rate(kn_serving_invocation_duration_seconds_count{${scope}}[10m]))`,
    p99: expect.stringMatching(/^1000 \* .*kn_serving_invocation_duration_seconds_bucket/),
  });
  expect(JSON.stringify(queries('otel'))).not.toMatch(/revision_request|activator|http_server/);
  const old = 'namespace_name="shop", service_name="cart"';
  expect(queries('legacy')).toMatchObject({
    rps: `sum(rate(revision_request_latencies_count{${old}}[10m]))`,
    // In milliseconds as it is.
    p99: expect.stringMatching(/^1 \* .*revision_request_latencies_bucket/),
  });
  expect(queries('otel').cpu).toBe(loadQueries(TARGET).cpu);
});
