import type { Alert } from '../kit/operator.ts';

/** When somebody should look at drift, or at its webhooks. The metrics are those that every manager has. */
export const driftAlerts: readonly Alert[] = [
  {
    name: 'DriftDeniedOften',
    expr: 'sum(increase(kubewright_decisions_total{controller="drift",reason=~"Drift|Destructive|Rejected"}[15m])) > 100',
    severity: 'warning',
    summary: 'Controllers make many changes that nobody asked for',
    description:
      '"kubewright drift list -A" shows who changes what. Policies in mode enforce deny it, and the controller retries; in mode log it is stored.',
  },
  {
    name: 'DriftFrozen',
    expr: 'sum(increase(kubewright_decisions_total{controller="drift",reason="Frozen"}[15m])) > 0',
    severity: 'critical',
    summary: 'A freeze denies changes: of the brake, or of somebody',
    description:
      'Events DriftBraked, and "kubewright drift list -A", name the controller. Approve or roll back, then "kubewright drift unfreeze".',
  },
  {
    name: 'DriftWebhookFailing',
    expr: 'sum by (webhook) (rate(controller_runtime_webhook_requests_total{webhook=~"/drift/.+",code=~"5.."}[10m])) > 0',
    for: '10m',
    severity: 'critical',
    summary: 'Requests to the webhooks of drift fail',
    description:
      'Writes go through unchecked, or are rejected, as the failurePolicy says. "kubewright doctor" and the log of the manager say why.',
  },
  {
    name: 'DriftWebhookSlow',
    expr: 'histogram_quantile(0.95, sum by (webhook, le) (rate(controller_runtime_webhook_latency_seconds_bucket{webhook=~"/drift/.+"}[10m]))) > 1',
    for: '10m',
    severity: 'warning',
    summary: 'Requests to the webhooks of drift take more than a second',
    description:
      'Each write that it checks takes that much longer. Look at the CPU of the manager, and at workqueue_depth.',
  },
];
