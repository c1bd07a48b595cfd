import { type Clock, createClient } from '@kubewright/client';
import {
  type ApiResponse,
  corev1,
  type Json,
  type Stored,
  stringifyJson,
  type Transport,
} from '@kubewright/kube';
import { parseQuantity, quantityAsNumber } from '@kubewright/kube/quantity';
import { ClusterError } from '../cluster-error.ts';
import { annotatedQuantity } from './annotated-quantity.ts';
import { evaluate, type Sample, type SamplesOf, type Value } from './promql/evaluate.ts';
import { parsePromql } from './promql/parse-promql.ts';

export type PrometheusApiOptions = {
  /** Calls that may read pods. */
  readonly transport: Transport;
  readonly clock: Clock;
};

/** Handles requests to Prometheus' HTTP API: `/api/v1/query` of an instant, and no other. */
export type PrometheusApi = (path: string) => Promise<ApiResponse>;

/** Longer queries are not read. */
const LONGEST = 64 * 1024;

/** A Prometheus of a cluster in which nothing is measured: see `annotations.ts`. */
export function createPrometheusApi({ transport, clock }: PrometheusApiOptions): PrometheusApi {
  const client = createClient(transport);
  return async (path) => {
    const { pathname, searchParams } = new URL(path, 'http://prometheus');
    if (pathname !== '/api/v1/query')
      return respond(404, failed('not_found', `there is no ${pathname} here`));
    try {
      const query = searchParams.get('query') ?? '';
      if (query.length > LONGEST) throw new ClusterError('BadQuery', 'the query is too long');
      const expression = parsePromql(query);
      const { items } = await client.list(corev1.pods, {});
      const now = clock.now() / 1000;
      return respond(200, succeeded(evaluate(expression, { samplesOf: samplesOf(items), now }), now));
    } catch (error) {
      if (!(error instanceof ClusterError) || error.code !== 'BadQuery') throw error;
      return respond(400, failed('bad_data', error.message));
    }
  };
}

/** What is measured of containers, as cAdvisor calls it, and the annotation that says it. */
const OF_CONTAINERS: ReadonlyMap<string, string> = new Map([
  ['container_cpu_usage_seconds_total', 'cpu'],
  ['container_memory_working_set_bytes', 'memory'],
]);

/** Containers that run use nothing where no annotation says otherwise; other metrics are there where one says so. */
function samplesOf(pods: readonly Stored<corev1.Pod>[]): SamplesOf {
  const running = pods.filter(({ status }) => status?.phase === 'Running');
  return (metric) => {
    const usage = OF_CONTAINERS.get(metric);
    return running.flatMap((pod) =>
      usage === undefined ? customSample(pod, metric) : usageSamples(pod, metric, usage),
    );
  };
}

function usageSamples(pod: Stored<corev1.Pod>, metric: string, usage: string): readonly Sample[] {
  const { namespace, name } = pod.metadata;
  return pod.spec.containers.map((container, index) => ({
    labels: { __name__: metric, namespace, pod: name, container: container.name },
    value: index === 0 ? (valueIn(pod, usage) ?? 0) : 0,
  }));
}

function customSample(pod: Stored<corev1.Pod>, metric: string): readonly Sample[] {
  const value = valueIn(pod, `custom.${metric}`);
  const { namespace, name } = pod.metadata;
  return value === undefined ? [] : [{ labels: { __name__: metric, namespace, pod: name }, value }];
}

function valueIn(pod: Stored<corev1.Pod>, name: string): number | undefined {
  const quantity = annotatedQuantity(pod, name);
  return quantity === undefined ? undefined : quantityAsNumber(parseQuantity(quantity));
}

function succeeded(value: Value, time: number): Json {
  if (typeof value === 'number')
    return { status: 'success', data: { resultType: 'scalar', result: [time, String(value)] } };
  const result = value.map((sample) => ({ metric: sample.labels, value: [time, textOf(sample.value)] }));
  return { status: 'success', data: { resultType: 'vector', result } };
}

/** As Prometheus writes what is no finite number. */
function textOf(value: number): string {
  if (Number.isFinite(value) || Number.isNaN(value)) return String(value);
  return value > 0 ? '+Inf' : '-Inf';
}

function failed(errorType: string, error: string): Json {
  return { status: 'error', errorType, error };
}

function respond(status: number, value: Json): ApiResponse {
  return { status, headers: { 'content-type': 'application/json' }, body: bodyOf(stringifyJson(value)) };
}

async function* bodyOf(text: string): ApiResponse['body'] {
  yield Buffer.from(text);
}
