import type { KubeObject } from '@kubewright/kube';
import { type Alert, MANAGER, type OperatorParts } from '@kubewright/operators';
import { LABELS, type ManifestOptions } from './install-manifests.ts';
import { HEALTH_PORT_NAME } from './manager-objects.ts';

const API_VERSION = 'monitoring.coreos.com/v1';

/**
 * What the Prometheus Operator needs to scrape each replica of the manager, and to alert by what it says: a PodMonitor,
 * and a PrometheusRule with a group for each operator that has alerts.
 */
export function prometheusObjects(
  operators: readonly (Pick<OperatorParts, 'alerts'> & { readonly name: string })[],
  options: ManifestOptions,
): readonly KubeObject[] {
  const metadata = { name: MANAGER, namespace: options.namespace, labels: LABELS };
  const groups = operators.flatMap(({ name, alerts = [] }) =>
    alerts.length === 0 ? [] : [{ name, rules: alerts.map((alert) => ruleOf(alert)) }],
  );
  const monitor = {
    apiVersion: API_VERSION,
    kind: 'PodMonitor',
    metadata,
    spec: {
      selector: { matchLabels: LABELS },
      // Labels of our metrics name the objects that they are about, not the manager's pod and its namespace.
      podMetricsEndpoints: [{ port: HEALTH_PORT_NAME, path: '/metrics', honorLabels: true }],
    },
  };
  const rule = { apiVersion: API_VERSION, kind: 'PrometheusRule', metadata, spec: { groups } };
  return groups.length === 0 ? [monitor] : [monitor, rule];
}

/** A page for each alert: what it means, where to look, what to do. */
const RUNBOOKS = 'https://github.com/kubewright/kubewright/blob/main/docs/runbooks';

function ruleOf({ name, expr, severity, summary, description, ...rest }: Alert) {
  const annotations = { summary, description, runbook_url: `${RUNBOOKS}/${name}.md` };
  return { alert: name, expr, ...rest, labels: { severity }, annotations };
}
