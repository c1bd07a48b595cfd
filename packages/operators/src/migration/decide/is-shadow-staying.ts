import type { MigrationStatus } from '../api.ts';
import { isSequential } from '../strategy.ts';

/**
 * Only a StatefulSet has a pod of its own to take over from the shadow. For a pod of a ReplicaSet, and for one that nobody
 * controls, the shadow is the pod that stays. Sequential has no shadow.
 */
export function isShadowStaying(status: MigrationStatus): boolean {
  return status.statefulSetUID === undefined && !isSequential(status);
}
