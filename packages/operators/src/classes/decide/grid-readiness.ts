import { defined } from '@kubewright/kube';
import type { ClassRuntimeStatus } from '../api.ts';
import type { GridHealth } from '../grid/grid-health.ts';
import type { Desired } from '../templates/rendering.ts';
import { odgmNames } from '../templates/safe-name.ts';
import type { Readiness } from './knative-readiness.ts';
import { isWorkload, type ObservedClass } from './observed-class.ts';
import { secondsSince } from './seconds-since.ts';
import type { Anomaly } from './workload-anomalies.ts';

/** What the status says of the data grid: valid after a restart, until it is looked at again. */
export function storedGrid({ odgm }: ClassRuntimeStatus): GridHealth | undefined {
  if (odgm === undefined) return undefined;
  const { ready, reason, message, partitions, healthy = 0, degraded = 0, lost = 0 } = odgm;
  const counts = partitions === undefined ? {} : { counts: { partitions, healthy, degraded, lost } };
  return defined({ ready, ...counts, reason: reason as GridHealth['reason'], message });
}

/** A data grid whose pod is ready may still lack shards. */
export function gridReadiness(desired: Desired, readiness: Readiness, observed: ObservedClass): Readiness {
  const { grid, runtime } = observed;
  if (!readiness.ready || grid === undefined || grid.ready || !isGrid(desired, runtime.metadata.name))
    return readiness;
  return defined({ ready: false, reason: grid.reason, message: grid.message });
}

/** A probe that fails although the Deployment is ready, for long enough. */
export function gridAnomalies(
  { desired, readiness }: { readonly desired: Desired; readonly readiness: Readiness },
  { grid, runtime, settings }: ObservedClass,
  now: Date,
): readonly Anomaly[] {
  if (grid === undefined || readiness.reason === undefined || readiness.reason !== grid.reason) return [];
  const message = `The data grid is not healthy: ${grid.message ?? grid.reason}.`;
  const wait = settings.odgmGrace - secondsSince(runtime.status?.odgm?.unhealthy_since, now);
  return [{ reason: 'OdgmUnhealthy', message, workload: desired.metadata.name ?? '', wait }];
}

/** Whether an object is the workload of the class's data grid. */
export function isGrid(desired: Desired, name: string): boolean {
  return isWorkload(desired) && desired.metadata.name === odgmNames(name).deployment;
}
