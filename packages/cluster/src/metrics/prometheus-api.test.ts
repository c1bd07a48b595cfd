import { expect, test } from 'vitest';
import { createApiServer } from '@kubewright/apiserver';
import { createClient } from '@kubewright/client';
import { corev1, parseJson } from '@kubewright/kube';
import { servePrometheus } from './serve-prometheus.ts';

const PREFIX = 'metrics.kubewright.dev/';

async function asked(queries: readonly string[]): Promise<readonly unknown[]> {
  const server = createApiServer({ serviceAccounts: { admission: false } });
  const transport = server.transport();
  const client = createClient(transport);
  const make = async (
    namespace: string,
    name: string,
    annotations: Record<string, string>,
  ): Promise<void> => {
    await client.create(corev1.pods, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { namespace, name, annotations },
      spec: { containers: [{ name: 'main', image: 'a:1' }] },
    });
    const body = { status: { phase: 'Running' } };
    await client.patch(corev1.pods, { namespace, name }, { type: 'merge', body }, { subresource: 'status' });
  };
  for (const name of ['shop', 'other'])
    await client.create(corev1.namespaces, {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name },
      spec: {},
    });
  await make('shop', 'a.1', { [`${PREFIX}cpu`]: '250m', [`${PREFIX}custom.requests`]: '7' });
  await make('shop', 'b', { [`${PREFIX}cpu`]: '1500m', [`${PREFIX}memory`]: '64Mi' });
  await make('shop', 'idle', {});
  await make('other', 'a.1', { [`${PREFIX}cpu`]: '8' });
  const prometheus = await servePrometheus(transport);
  try {
    const answers: unknown[] = [];
    for (const [index, query] of queries.entries()) {
      const url = `${prometheus.url}/api/v1/query`;
      const form = new URLSearchParams({ query });
      const response = await (index % 2 === 0
        ? fetch(`${url}?${form}`)
        : fetch(url, { method: 'POST', body: form }));
      answers.push(parseJson(Buffer.from(await response.arrayBuffer())));
    }
    return answers;
  } finally {
    await prometheus.close();
    await server.close();
  }
}

const vector = (...result: readonly (readonly [metric: object, value: string])[]) => ({
  status: 'success',
  data: {
    resultType: 'vector',
    result: result.map(([metric, value]) => ({ metric, value: [expect.any(Number), value] })),
  },
});

test('a Prometheus that says what annotations say', async () => {
  const cpu = 'container_cpu_usage_seconds_total';
  expect(
    await asked([
      `1000 * sum by (pod) (rate(${cpu}{namespace="shop", pod=~"a\\\\.1|b", container!=""}[10m]))`,
      `sum(rate(${cpu}{namespace="shop"}[5m]))`,
      "max(container_memory_working_set_bytes{namespace='shop'}) / 1024",
      'sum(rate(requests[1m])) by (namespace)',
      'count(requests{pod!~"a.*"})',
      '1000 * histogram_quantile(0.99, sum by (le, w) (label_replace(rate(buckets{namespace="shop"}[1m]), "w", "$1", "pod", "(.+)-x")))',
      '(1 + 2) * 3',
    ]),
  ).toEqual([
    vector([{ pod: 'a.1' }, '250'], [{ pod: 'b' }, '1500']),
    vector([{}, '1.75']),
    vector([{}, '65536']),
    vector([{ namespace: 'shop' }, '7']),
    vector(),
    vector(),
    { status: 'success', data: { resultType: 'scalar', result: [expect.any(Number), '9'] } },
  ]);
});

test('increases are of the range, samples are of now, an offset changes nothing, and labels can be dropped', async () => {
  const cpu = 'container_cpu_usage_seconds_total';
  const [increase, offset, without, age] = await asked([
    `increase(${cpu}{namespace="shop", pod="b"}[10m])`,
    `sum by (pod) (increase(${cpu}{namespace="shop", pod="b"}[2m] offset 30s)) / 120`,
    'max without (pod, job) (requests{namespace="shop"})',
    `time() - max by (pod) (timestamp(${cpu}{pod="b"}))`,
  ]);
  const labels = { __name__: cpu, namespace: 'shop', pod: 'b', container: 'main' };
  expect(increase).toEqual(vector([labels, '900']));
  expect(offset).toEqual(vector([{ pod: 'b' }, '1.5']));
  expect(without).toEqual(vector([{ namespace: 'shop' }, '7']));
  expect(age).toEqual(vector([{ pod: 'b' }, '0']));
});

test('what is no PromQL, or more than is understood, is bad data', async () => {
  const queries = [
    '',
    'sum(',
    'a{b=c}',
    'a b',
    'topk(3, a)',
    'a{b=~"("}',
    'a + b',
    'rate(1)',
    '#',
    'a[10]',
    'a offset',
    'time(1)',
  ];
  for (const answer of await asked(queries))
    expect(answer).toMatchObject({
      status: 'error',
      errorType: 'bad_data',
      error: expect.stringContaining('query'),
    });
});
