import type { corev1 } from '@kubewright/kube';
import type { EventNote } from '@kubewright/runtime';
import type { PodRecord } from '../pod-record.ts';

/** What is asked of the container runtimes. */
export type ContainerAction =
  | {
      readonly type: 'start';
      readonly container: corev1.Container;
      readonly id: string;
      readonly attempt: number;
    }
  | {
      readonly type: 'stop';
      readonly container: corev1.Container;
      readonly id: string;
      readonly graceMs: number;
    };

/** The next step for a pod. While there are actions, they are carried out and the pod is looked at again. */
export type PodDecision = {
  readonly actions: readonly ContainerAction[];
  /** In place of the record that was observed. */
  readonly record: PodRecord;
  readonly events: readonly EventNote[];
  /** Every container has ended and the pod is deleted: its object may go. */
  readonly finished: boolean;
  /** All containers that will ever run have run, or the pod was ended: its phase may be a final one. */
  readonly isTerminal: boolean;
  /** Milliseconds until something may be due without an event. */
  readonly requeueAfter?: number;
};
