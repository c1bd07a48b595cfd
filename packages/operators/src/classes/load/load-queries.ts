/** The pods whose load to query. */
export type LoadTarget = {
  readonly namespace: string;
  /** Those that run. */
  readonly pods: readonly string[];
  /** Those that ran within the range: what they carried then is part of the load. */
  readonly gone?: readonly string[];
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

export const CPU = 'container_cpu_usage_seconds_total';

/** Labels of how a sample was collected, not of what was counted: the same counter in two of them is one. */
const COLLECTED = [
  'job',
  'instance',
  'endpoint',
  'service',
  'replica',
  'prometheus',
  'prometheus_replica',
] as const;

const SECONDS = { s: 1, m: 60, h: 3600 } as const;

/** Of a range as PromQL writes it, `10m`. */
export function secondsOf(range: string): number {
  const unit = SECONDS[range.at(-1) as keyof typeof SECONDS];
  return Number.parseInt(range, 10) * unit;
}

/** By the clock of the source, how many seconds ago each pod had its last sample. */
export function ageQuery({ namespace, pods }: LoadTarget): string {
  return `time() - max by (pod) (timestamp(${CPU}{${scopeOf(namespace, pods)}, container!=""}))`;
}

/**
 * PromQL for the load of exactly these pods, as it was `age` seconds ago. A name prefix would match pods of other classes.
 *
 * Increases are divided by the range: `rate` is not the same everywhere. VictoriaMetrics divides it by the life of a series, so
 * that each restart of a container would double its load.
 */
export function loadQueries(target: LoadTarget, age = 0): LoadQueries {
  const { namespace, pods, gone = [], range, knative } = target;
  // Prometheus 2.42 rejects `offset 0s`.
  const window = `[${range}]${age >= 1 ? ` offset ${Math.floor(age)}s` : ''}`;
  const seconds = secondsOf(range);
  const scope = scopeOf(namespace, [...pods, ...gone]);
  const containers = `${CPU}{${scope}, container!="", container!="POD"}${window}`;
  return {
    // `id` tells a container from the one before its restart.
    cpu: `1000 / ${seconds} * sum by (pod) (max by (pod, container, id, cpu) (increase(${containers})))`,
    memory: `max by (pod) (max_over_time(container_memory_working_set_bytes{${scopeOf(namespace, pods)}, container="function"}${window}))`,
    ...(knative === undefined
      ? requestQueries(['http_server_requests_seconds', 1000], scope, { window, seconds })
      : knativeQueries(knative, namespace, { window, seconds })),
  };
}

type Window = { readonly window: string; readonly seconds: number };

/** Requests per second, and the 99th percentile of their latency in milliseconds: `factor` of the histogram's units. */
function requestQueries(
  [histogram, factor]: readonly [string, number],
  scope: string,
  { window, seconds }: Window,
): RequestQueries {
  const counted = (name: string): string =>
    `max without (${COLLECTED.join(', ')}) (increase(${histogram}_${name}{${scope}}${window}))`;
  return {
    rps: `sum by (pod) (${counted('count')}) / ${seconds}`,
    p99: `${factor} * histogram_quantile(0.99, sum by (le) (${counted('bucket')}))`,
  };
}

/** By the proxy beside each function: https://knative.dev/docs/serving/observability/metrics/serving-metrics */
function knativeQueries(
  { service, dialect }: KnativeTarget,
  namespace: string,
  window: Window,
): RequestQueries {
  if (dialect === 'legacy') {
    const scope = `namespace_name=${quoted(namespace)}, service_name=${quoted(service)}`;
    return requestQueries(['revision_request_latencies', 1], scope, window);
  }
  const scope = `k8s_namespace_name=${quoted(namespace)}, kn_service_name=${quoted(service)}`;
  return requestQueries(['kn_serving_invocation_duration_seconds', 1000], scope, window);
}

function scopeOf(namespace: string, pods: readonly string[]): string {
  const names = pods.map((name) => escapeRegex(name)).join('|');
  return `namespace=${quoted(namespace)}, pod=~${quoted(names)}`;
}

/** A PromQL string literal of any text. */
function quoted(text: string): string {
  const escaped = text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
  return `"${escaped}"`;
}

function escapeRegex(text: string): string {
  return text.replaceAll(/[.+*?^${}()|[\]\\]/g, String.raw`\$&`);
}
