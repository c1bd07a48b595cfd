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

/** What one query asks for: pods of one workload, or of several of a namespace. */
export type QueryScope = Pick<LoadTarget, 'namespace' | 'range' | 'pods' | 'gone' | 'histograms'> & {
  /** Of several workloads: what has no label of its pod has that of its workload, or Service. */
  readonly isShared?: boolean;
  readonly knative?:
    | { readonly services: readonly string[]; readonly dialect: KnativeTarget['dialect'] }
    | undefined;
};

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

/** As ReplicaSets name their pods, `NAME-HASH-RANDOM`; without the anchors, which PromQL has by itself. */
const WORKLOAD = '(.+)-[^-]+-[^-]+';
const OF_WORKLOAD = new RegExp(`^${WORKLOAD}$`);

/** The workload in the name of a pod, if that has one. */
export function podWorkload(pod: string): string | undefined {
  return OF_WORKLOAD.exec(pod)?.[1];
}

/** By the clock of the source: for how many seconds each pod has had no sample, and how many it has in the range. */
export function coverageQueries(target: QueryScope): { readonly [signal in Signal]: CoverageQueries } {
  const containers = `${CPU}{${scopeOf(target.namespace, target.pods)}, ${OF_CONTAINERS}}`;
  const counter = target.histograms === 'native' ? '' : '_count';
  const requests = `${histogramOf(target).name}${counter}{${requestScope(target, target.pods)}}`;
  const labels = requestLabels(target);
  const of = (selector: string, count: string, by = 'pod'): CoverageQueries => ({
    age: `time() - max by (${by}) (timestamp(${selector}))`,
    count,
  });
  const window = `[${target.range}]`;
  return {
    // The containers before a restart have series of their own.
    cpu: of(containers, `sum by (pod) (max by (${CONTAINER}) (count_over_time(${containers}${window})))`),
    requests: of(requests, `max by (${labels}) (count_over_time(${requests}${window}))`, labels),
  };
}

/**
 * PromQL for the load of exactly these pods, as it was `age` seconds ago. A name prefix would match pods of other classes.
 *
 * Increases are divided by the range: `rate` is not the same everywhere. VictoriaMetrics divides it by the life of a series, so
 * that each restart of a container would double its load.
 */
export function loadQueries(target: QueryScope, age = 0): LoadQueries {
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
    rps: `sum by (${requestLabels(target)}) (${rps}) / ${seconds}`,
    p99,
  };
}

/** How many requests there were, by series; and their latency, with the label {@link FORM}. */
function requestQueries(
  target: QueryScope,
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
    return {
      rps: once(`histogram_count(${increase})`),
      p99: quantile(addedUp(target, [], increase), 'native'),
    };
  }
  const buckets = (label: string, more: string): string =>
    addedUp(target, [label], once(`increase(${name}_bucket{${scope}${more}}${window})`));
  const classic = quantile(buckets('le', ''), 'classic');
  // https://docs.victoriametrics.com/victoriametrics/metricsql/#histogram_quantile
  const vmrange = quantile(buckets('vmrange', ', vmrange!=""'), 'vmrange');
  return { rps: once(`increase(${name}_count{${scope}}${window})`), p99: `${classic} or ${vmrange}` };
}

/** The histogram of requests, and by which its units are milliseconds. */
function histogramOf({ knative }: QueryScope): { readonly name: string; readonly factor: number } {
  if (knative === undefined) return { name: 'http_server_requests_seconds', factor: 1000 };
  return knative.dialect === 'legacy'
    ? { name: 'revision_request_latencies', factor: 1 }
    : { name: 'kn_serving_invocation_duration_seconds', factor: 1000 };
}

/** Of Knative by the proxy beside each function: https://knative.dev/docs/serving/observability/metrics/serving-metrics */
function requestScope({ namespace, knative }: QueryScope, pods: readonly string[]): string {
  if (knative === undefined) return scopeOf(namespace, pods);
  const { services, dialect } = knative;
  const label = SERVICE_LABELS[dialect];
  const [only = '', ...others] = services;
  const is =
    others.length === 0
      ? `${label}=${quoted(only)}`
      : `${label}=~${quoted(services.map(escapeRegex).join('|'))}`;
  return `${dialect === 'legacy' ? 'namespace_name' : 'k8s_namespace_name'}=${quoted(namespace)}, ${is}`;
}

const SERVICE_LABELS = { legacy: 'service_name', otel: 'kn_service_name' } as const;

/** By which labels requests are kept apart. */
function requestLabels({ knative, isShared }: QueryScope): string {
  return knative === undefined || isShared !== true ? 'pod' : `pod, ${SERVICE_LABELS[knative.dialect]}`;
}

/** A quantile is that of all pods of a workload: their buckets are added first. */
function addedUp({ knative, isShared }: QueryScope, by: readonly string[], buckets: string): string {
  const sum = (labels: readonly string[], of: string): string =>
    `sum${labels.length === 0 ? '' : ` by (${labels.join(', ')}) `}(${of})`;
  if (isShared !== true) return sum(by, buckets);
  if (knative !== undefined) return sum([...by, SERVICE_LABELS[knative.dialect]], buckets);
  return sum([...by, 'workload'], `label_replace(${buckets}, "workload", "$1", "pod", "${WORKLOAD}")`);
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
