import type { KubeObject } from '@kubewright/kube';
import { MANAGER } from '@kubewright/operators';
import { LABELS, type ManifestOptions } from '../install-manifests.ts';
import { METRICS } from './metrics.data.ts';
import { operatorDashboard } from './operator-dashboard.ts';

/** By which the sidecar of Grafana's chart finds dashboards, where it is not set otherwise. */
export const SIDECAR: Readonly<Record<string, string>> = { grafana_dashboard: '1' };

/** A dashboard for each operator, as the sidecar of Grafana's chart reads them. */
export function dashboardObjects(
  operators: readonly { readonly name: string }[],
  { namespace }: Pick<ManifestOptions, 'namespace'>,
): readonly KubeObject[] {
  return operators.flatMap(({ name }) => {
    const metrics = METRICS[name];
    if (metrics === undefined) return [];
    const metadata = { name: `${MANAGER}-dashboard-${name}`, namespace, labels: { ...LABELS, ...SIDECAR } };
    const data = { [`kubewright-${name}.json`]: JSON.stringify(operatorDashboard(name, metrics)) };
    return [{ apiVersion: 'v1', kind: 'ConfigMap', metadata, data }];
  });
}
