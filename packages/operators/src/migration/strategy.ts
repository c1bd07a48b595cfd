import type { corev1, Stored } from '@kubewright/kube';
import type { MigrationStatus } from './api.ts';

type Pod = Stored<corev1.Pod>;

/** How the source and the pod that takes over follow each other. */
export type Strategy = NonNullable<MigrationStatus['strategy']>;

/**
 * Whether the source ends before its successor is made. The broker has the state meanwhile, or the target node the checkpoint;
 * nobody consumes.
 */
export function isSequential({ strategy }: Pick<MigrationStatus, 'strategy'>): boolean {
  return strategy === 'Sequential';
}

/** Neither a StatefulSet nor a ReplicaSet makes another pod in the place of the source. */
export function isOfNobody({ statefulSetUID, replicaSetUID }: MigrationStatus): boolean {
  return statefulSetUID === undefined && replicaSetUID === undefined;
}

/** Of a pod with claims two cannot run at once, whatever the migration asks for. */
export function strategyFor(wanted: string, pod: Pod): Strategy {
  return wanted === 'Sequential' || claimsOf(pod).length > 0 ? 'Sequential' : 'ShadowPod';
}

/** The names of its PersistentVolumeClaims. */
export function claimsOf({ spec: { volumes = [] } }: Pod): readonly string[] {
  return volumes.flatMap(({ persistentVolumeClaim: claim }) =>
    claim === undefined ? [] : [claim.claimName],
  );
}
