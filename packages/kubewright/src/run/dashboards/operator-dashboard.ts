import type { Json, JsonObject } from '@kubewright/kube';
import type { DeclaredMetric, DeclaredMetrics } from './declared-metrics.ts';

/** Beside each other, of the 24 columns that Grafana has. */
const WIDTH = 12;
const HEIGHT = 8;
const RANGE = '$__rate_interval';

type Panel = {
  readonly title: string;
  readonly description: string;
  readonly expr: string;
  /** By which the series differ. */
  readonly by: readonly string[];
  readonly unit: string;
};

/** A dashboard of Grafana for an operator: what it decides and how busy it is, and a panel for each of its own metrics. */
export function operatorDashboard(operator: string, metrics: DeclaredMetrics): JsonObject {
  const panels = [...panelsOfAll(operator, metrics), ...metrics.own.map(panelOf)];
  return {
    uid: `kubewright-${operator}`,
    title: `Kubewright: ${operator}`,
    tags: ['kubewright'],
    schemaVersion: 39,
    editable: true,
    refresh: '30s',
    time: { from: 'now-6h', to: 'now' },
    templating: {
      list: [{ name: 'datasource', label: 'Data source', type: 'datasource', query: 'prometheus' }],
    },
    panels: panels.map(grafanaPanel),
  };
}

/** Panels of metrics that every manager has, for the controllers and webhooks of this operator. */
function panelsOfAll(operator: string, { controllers, webhooks }: DeclaredMetrics): readonly Panel[] {
  const mine = `controller=~"${[operator, ...controllers].join('|')}"`;
  const called = `webhook=~"${webhooks.join('|')}"`;
  return [
    {
      title: 'Decisions',
      description: 'Decisions per second, by reason.',
      expr: `sum by (reason) (rate(kubewright_decisions_total{${mine}}[${RANGE}]))`,
      by: ['reason'],
      unit: 'ops',
    },
    {
      title: 'Reconciles',
      description: 'Reconciles per second, by controller and result.',
      expr: `sum by (controller, result) (rate(controller_runtime_reconcile_total{${mine}}[${RANGE}]))`,
      by: ['controller', 'result'],
      unit: 'ops',
    },
    {
      title: 'Time of reconciles',
      description: 'Below this are 95 of 100 reconciles.',
      expr: quantile(`controller_runtime_reconcile_time_seconds_bucket{${mine}}`, ['controller']),
      by: ['controller'],
      unit: 's',
    },
    {
      title: 'Work queue',
      description: 'Items that wait in the queues of its controllers.',
      expr: `sum by (controller) (workqueue_depth{${mine}})`,
      by: ['controller'],
      unit: 'short',
    },
    ...(webhooks.length === 0 ? [] : webhookPanels(called)),
  ];
}

function webhookPanels(called: string): readonly Panel[] {
  return [
    {
      title: 'Admission requests',
      description: 'Requests per second to its webhooks, by HTTP status code.',
      expr: `sum by (webhook, code) (rate(controller_runtime_webhook_requests_total{${called}}[${RANGE}]))`,
      by: ['webhook', 'code'],
      unit: 'reqps',
    },
    {
      title: 'Time of admission requests',
      description: 'Below this are 95 of 100 admission requests.',
      expr: quantile(`controller_runtime_webhook_latency_seconds_bucket{${called}}`, ['webhook']),
      by: ['webhook'],
      unit: 's',
    },
  ];
}

/** Replicas count apart: what happens adds up, and of what is measured by each the largest is shown. */
function panelOf({ name, type, help, labels }: DeclaredMetric): Panel {
  const title = name.replace(/_total$/, '').replaceAll('_', ' ');
  const unit = /seconds/.test(name) ? 's' : /bytes/.test(name) ? 'bytes' : 'short';
  const panel = { title, description: `${help}.`, by: labels, unit };
  if (type === 'histogram') return { ...panel, expr: quantile(`${name}_bucket`, labels) };
  if (type === 'gauge') return { ...panel, expr: `max${grouped(labels)}(${name})` };
  return { ...panel, expr: `sum${grouped(labels)}(increase(${name}[${RANGE}]))` };
}

const grouped = (labels: readonly string[]): string =>
  labels.length === 0 ? '' : ` by (${labels.join(', ')}) `;

const quantile = (buckets: string, labels: readonly string[]): string =>
  `histogram_quantile(0.95, sum by (${['le', ...labels].join(', ')}) (rate(${buckets}[${RANGE}])))`;

function grafanaPanel({ title, description, expr, by, unit }: Panel, index: number): Json {
  const datasource = { type: 'prometheus', uid: '${datasource}' };
  const legendFormat = by.length === 0 ? title : by.map((label) => `{{${label}}}`).join(' ');
  return {
    id: index + 1,
    type: 'timeseries',
    title,
    description,
    datasource,
    gridPos: { h: HEIGHT, w: WIDTH, x: (index % 2) * WIDTH, y: Math.floor(index / 2) * HEIGHT },
    fieldConfig: { defaults: { unit, min: 0 }, overrides: [] },
    targets: [{ refId: 'A', datasource, expr, legendFormat }],
  };
}
