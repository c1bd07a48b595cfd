/** The pods whose load to query. */
export type LoadTarget = {
  readonly namespace: string;
  readonly pods: readonly string[];
  /** `10m` */
  readonly range: string;
};

export type LoadQueries = { readonly cpu: string; readonly rps: string; readonly p99: string };

/** PromQL for the load of exactly these pods. A name prefix would match pods of other classes. */
export function loadQueries({ namespace, pods, range }: LoadTarget): LoadQueries {
  const names = pods.map((name) => escapeRegex(name)).join('|');
  const scope = `namespace=${quoted(namespace)}, pod=~${quoted(names)}`;
  return {
    cpu: `1000 * sum by (pod) (rate(container_cpu_usage_seconds_total{${scope}, container!=""}[${range}]))`,
    rps: `sum(rate(http_server_requests_seconds_count{${scope}}[${range}]))`,
    p99: `1000 * histogram_quantile(0.99, sum by (le) (rate(http_server_requests_seconds_bucket{${scope}}[${range}])))`,
  };
}

/** A PromQL string literal of any text. */
function quoted(text: string): string {
  const escaped = text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
  return `"${escaped}"`;
}

function escapeRegex(text: string): string {
  return text.replaceAll(/[.+*?^${}()|[\]\\]/g, String.raw`\$&`);
}
