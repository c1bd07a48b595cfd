import type { appsv1, corev1, Stored } from '@kubewright/kube';
import type { EventNote } from '@kubewright/runtime';

/** Everything that a decision about one DaemonSet needs, when it is settled which pods and revisions are its own. */
export type Observed = {
  readonly set: Stored<appsv1.DaemonSet>;
  readonly pods: readonly Stored<corev1.Pod>[];
  readonly nodes: readonly Stored<corev1.Node>[];
  /** Of the present template. */
  readonly hash: string;
  readonly collisions: number;
  /** Milliseconds for which a failed pod on a node is still to be left alone; 0 or less: none. */
  readonly failureWait: (node: string) => number;
};

export type Work = {
  /** Names of the nodes that are to get a pod. */
  readonly create: readonly string[];
  readonly remove: readonly Stored<corev1.Pod>[];
};

export type DaemonSetDecision = Work & {
  readonly events: readonly EventNote[];
  /** Nodes whose failed pods are removed: the next failure there waits longer. */
  readonly failedOn: readonly string[];
  readonly status: appsv1.DaemonSetStatus;
  readonly requeueAfter?: number;
};
