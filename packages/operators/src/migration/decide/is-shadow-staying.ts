import type { MigrationStatus } from '../api.ts';

/**
 * Only a StatefulSet has a pod of its own to take over from the shadow. For a pod of a ReplicaSet, and for one that nobody
 * controls, the shadow is the pod that stays.
 */
export function isShadowStaying({ statefulSetUID }: MigrationStatus): boolean {
  return statefulSetUID === undefined;
}
