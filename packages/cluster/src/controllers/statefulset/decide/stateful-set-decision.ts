import type { appsv1, corev1, Named, Stored } from '@kubewright/kube';
import type { ClaimsPlan, FindClaim } from './plan-claims.ts';
import type { PodSource } from './missing-pod.ts';

type Pod = Named<corev1.Pod>;

/** Everything that a decision about one StatefulSet needs, when it is settled which pods and revisions are its own. */
export type Observed = {
  readonly set: Stored<appsv1.StatefulSet>;
  readonly pods: readonly Pod[];
  readonly findClaim: FindClaim;
  /** What the set is at, and what it moves to. */
  readonly current: PodSource;
  readonly update: PodSource;
  readonly collisions: number;
};

/** `claims`: what those of the pod need first. */
export type PodAction =
  | { readonly type: 'create'; readonly pod: Pod; readonly claims: ClaimsPlan }
  /** A pod that waits, maybe for claims. */
  | { readonly type: 'supply'; readonly pod: Pod; readonly claims: ClaimsPlan }
  /** `pod` with the identity and the volumes that it should have; absent `change`: only its claims are wrong. */
  | {
      readonly type: 'repair';
      readonly pod: Pod;
      readonly claims: ClaimsPlan;
      readonly change?: Pod;
    }
  /** A pod that is to go: what becomes of its claims. */
  | { readonly type: 'retain'; readonly pod: Pod; readonly claims: ClaimsPlan }
  | { readonly type: 'delete'; readonly pod: Pod };

/** What is to be done pod by pod: the actions of each. */
export type Stage = readonly (readonly PodAction[])[];

export type StatefulSetDecision = {
  /** One begins when the one before has succeeded. */
  readonly stages: readonly Stage[];
  /** Whether the pods of a stage are independent of each other. */
  readonly parallel: boolean;
  /** What the status should say when all of that has succeeded, or not. */
  readonly status: (succeeded: boolean) => appsv1.StatefulSetStatus;
  readonly requeueAfter?: number;
};
