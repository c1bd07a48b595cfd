import type { appsv1, Stored } from '@kubewright/kube';
import type { EventNote } from '@kubewright/runtime';

export type DeploymentAction =
  | { readonly type: 'create'; readonly replicaSet: appsv1.ReplicaSet }
  /** As it is to be, with the resourceVersion that was seen. */
  | { readonly type: 'update'; readonly replicaSet: Stored<appsv1.ReplicaSet> }
  | { readonly type: 'scale'; readonly replicaSet: Stored<appsv1.ReplicaSet>; readonly from: number }
  | { readonly type: 'delete'; readonly replicaSet: Stored<appsv1.ReplicaSet> };

export type DeploymentDecision = {
  readonly actions: readonly DeploymentAction[];
  readonly events?: readonly EventNote[];
  /** What the Deployment is to say once the actions are done: its status, and its revision among its annotations. */
  readonly write?: { readonly status: appsv1.DeploymentStatus; readonly revision?: string };
  /** Milliseconds. */
  readonly requeueAfter?: number;
  readonly reason:
    | 'SelectingAll'
    | 'Deleting'
    | 'Scaling'
    | 'Paused'
    | 'RollbackUnsupported'
    | 'Creating'
    | 'ScalingUp'
    | 'ScalingDown'
    | 'WaitingForOldPods'
    | 'Progressing'
    | 'Complete';
};
