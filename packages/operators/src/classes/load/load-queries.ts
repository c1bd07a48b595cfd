import type { RequestForm } from '../class-load.ts';

/** The pods whose load to query. */
export type LoadTarget = {
  readonly namespace: string;
  /** Those that run. */
  readonly pods: readonly string[];
  /** Those that ran within the range: what they carried then is part of the load. */
  readonly gone?: readonly string[];
  /** `10m` */
  readonly range: string;
  /** For how many seconds each pod has run, where that is known. */
  readonly running?: ReadonlyMap<string, number>;
  /** Absent: the function counts its requests itself. */
  readonly knative?: KnativeTarget | undefined;
  /** How the source keeps the histogram of requests. Default: in buckets. */
  readonly histograms?: Histograms | undefined;
};

/** In series of their own, one per bucket and one that counts; or each as one series. The same source may have either. */
export type Histograms = 'buckets' | 'native';

/** A Service of Knative, whose requests Knative itself counts. */
type KnativeTarget = { readonly service: string; readonly dialect: 'otel' | 'legacy' };

/** Of a counter: how old its newest sample is, and how many there are in the range. */
export type CoverageQueries = { readonly age: string; readonly count: string };

export type LoadQueries = {
  readonly cpu: string;
  readonly memory: string;
  readonly rps: string;
  readonly p99: string;
};

/** What is counted on the way: CPU by kubelets, requests by applications. */
export type Signal = 'cpu' | 'requests';

/** The label of a latency that says in which form its histogram was. */
export const FORM = 'kubewright_form';

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

const OF_CONTAINERS = 'container!="", container!="POD"';
/** `id` tells a container from the one before its restart. */
const CONTAINER = 'pod, container, id, cpu';

const SECONDS = { s: 1, m: 60, h: 3600 } as const;

/** Of a range as PromQL writes it, `10m`. */
export function secondsOf(range: string): number {
  const unit = SECONDS[range.at(-1) as keyof typeof SECONDS];
  return Number.parseInt(range, 10) * unit;
}

/** By the clock of the source: for how many seconds each pod has had no sample, and how many it has in the range. */
export function coverageQueries(target: LoadTarget): { readonly [signal in Signal]: CoverageQueries } {
  const containers = `${CPU}{${scopeOf(target.namespace, target.pods)}, ${OF_CONTAINERS}}`;
  const counter = target.histograms === 'native' ? '' : '_count';
  const requests = `${histogramOf(target).name}${counter}{${requestScope(target, target.pods)}}`;
  const of = (selector: string, count: string): CoverageQueries => ({
    age: `time() - max by (pod) (timestamp(${selector}))`,
    count,
  });
  const window = `[${target.range}]`;
  return {
    // The containers before a restart have series of their own.
    cpu: of(containers, `sum by (pod) (max by (${CONTAINER}) (count_over_time(${containers}${window})))`),
    requests: of(requests, `max by (pod) (count_over_time(${requests}${window}))`),
  };
}

/**
 * PromQL for the load of exactly these pods, as it was `age` seconds ago. A name prefix would match pods of other classes.
 *
 * Increases are divided by the range: `rate` is not the same everywhere. VictoriaMetrics divides it by the life of a series, so
 * that each restart of a container would double its load.
 */
export function loadQueries(target: LoadTarget, age = 0): LoadQueries {
  const { namespace, pods, gone = [], range } = target;
  // Prometheus 2.42 rejects `offset 0s`.
  const window = `[${range}]${age >= 1 ? ` offset ${Math.floor(age)}s` : ''}`;
  const seconds = secondsOf(range);
  const all = [...pods, ...gone];
  const containers = `${CPU}{${scopeOf(namespace, all)}, ${OF_CONTAINERS}}${window}`;
  const { rps, p99 } = requestQueries(target, requestScope(target, all), window);
  return {
    cpu: `1000 / ${seconds} * sum by (pod) (max by (${CONTAINER}) (increase(${containers})))`,
    memory: `max by (pod) (max_over_time(container_memory_working_set_bytes{${scopeOf(namespace, pods)}, container="function"}${window}))`,
    rps: `sum by (pod) (${rps}) / ${seconds}`,
    p99,
  };
}

/** How many requests there were, by series; and their latency, with the label {@link FORM}. */
function requestQueries(
  target: LoadTarget,
  scope: string,
  window: string,
): { readonly rps: string; readonly p99: string } {
  const { name, factor } = histogramOf(target);
  const once = (increase: string): string => `max without (${COLLECTED.join(', ')}) (${increase})`;
  const quantile = (buckets: string, form: RequestForm): string =>
    `label_replace(${factor} * histogram_quantile(0.99, ${buckets}), "${FORM}", "${form}", "", "")`;
  if (target.histograms === 'native') {
    const increase = `increase(${name}{${scope}}${window})`;
    // No two of them have a maximum; counted twice, they have the same quantiles.
    return { rps: once(`histogram_count(${increase})`), p99: quantile(`sum(${increase})`, 'native') };
  }
  const buckets = (label: string, more: string): string =>
    `sum by (${label}) (${once(`increase(${name}_bucket{${scope}${more}}${window})`)})`;
  const classic = quantile(buckets('le', ''), 'classic');
  // https://docs.victoriametrics.com/victoriametrics/metricsql/#histogram_quantile
  const vmrange = quantile(buckets('vmrange', ', vmrange!=""'), 'vmrange');
  return { rps: once(`increase(${name}_count{${scope}}${window})`), p99: `${classic} or ${vmrange}` };
}

/** The histogram of requests, and by which its units are milliseconds. */
function histogramOf({ knative }: LoadTarget): { readonly name: string; readonly factor: number } {
  if (knative === undefined) return { name: 'http_server_requests_seconds', factor: 1000 };
  return knative.dialect === 'legacy'
    ? { name: 'revision_request_latencies', factor: 1 }
    : { name: 'kn_serving_invocation_duration_seconds', factor: 1000 };
}

/** Of Knative by the proxy beside each function: https://knative.dev/docs/serving/observability/metrics/serving-metrics */
function requestScope({ namespace, knative }: LoadTarget, pods: readonly string[]): string {
  if (knative === undefined) return scopeOf(namespace, pods);
  const { service, dialect } = knative;
  return dialect === 'legacy'
    ? `namespace_name=${quoted(namespace)}, service_name=${quoted(service)}`
    : `k8s_namespace_name=${quoted(namespace)}, kn_service_name=${quoted(service)}`;
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
