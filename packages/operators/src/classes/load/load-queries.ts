/** The pods whose load to query. */
export type LoadTarget = {
  readonly namespace: string;
  readonly pods: readonly string[];
  /** `10m` */
  readonly range: string;
  /** Absent: the function counts its requests itself. */
  readonly knative?: KnativeTarget | undefined;
};

/** A Service of Knative, whose requests Knative itself counts. */
type KnativeTarget = { readonly service: string; readonly dialect: 'otel' | 'legacy' };

export type LoadQueries = {
  readonly cpu: string;
  readonly memory: string;
  readonly rps: string;
  readonly p99: string;
};

type RequestQueries = Pick<LoadQueries, 'rps' | 'p99'>;

/** PromQL for the load of exactly these pods. A name prefix would match pods of other classes. */
export function loadQueries(target: LoadTarget): LoadQueries {
  const { namespace, pods, range, knative } = target;
  const names = pods.map((name) => escapeRegex(name)).join('|');
  const scope = `namespace=${quoted(namespace)}, pod=~${quoted(names)}`;
  return {
    cpu: `1000 * sum by (pod) (rate(container_cpu_usage_seconds_total{${scope}, container!=""}[${range}]))`,
    memory: `max by (pod) (max_over_time(container_memory_working_set_bytes{${scope}, container="function"}[${range}]))`,
    ...(knative === undefined
      ? requestQueries('http_server_requests_seconds', 1000, scope, range)
      : knativeQueries(knative, target)),
  };
}

/** Requests per second, and the 99th percentile of their latency in milliseconds: `factor` of the histogram's units. */
function requestQueries(histogram: string, factor: number, scope: string, range: string): RequestQueries {
  const buckets = `sum by (le) (rate(${histogram}_bucket{${scope}}[${range}]))`;
  return {
    rps: `sum(rate(${histogram}_count{${scope}}[${range}]))`,
    p99: `${factor} * histogram_quantile(0.99, ${buckets})`,
  };
}

/** By the proxy beside each function: https://knative.dev/docs/serving/observability/metrics/serving-metrics */
function knativeQueries(
  { service, dialect }: KnativeTarget,
  { namespace, range }: LoadTarget,
): RequestQueries {
  if (dialect === 'legacy') {
    const scope = `namespace_name=${quoted(namespace)}, service_name=${quoted(service)}`;
    return requestQueries('revision_request_latencies', 1, scope, range);
  }
  const scope = `k8s_namespace_name=${quoted(namespace)}, kn_service_name=${quoted(service)}`;
  return requestQueries('kn_serving_invocation_duration_seconds', 1000, scope, range);
}

/** A PromQL string literal of any text. */
function quoted(text: string): string {
  const escaped = text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
  return `"${escaped}"`;
}

function escapeRegex(text: string): string {
  return text.replaceAll(/[.+*?^${}()|[\]\\]/g, String.raw`\$&`);
}
