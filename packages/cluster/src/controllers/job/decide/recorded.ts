import type { batchv1, corev1, Stored } from '@kubewright/kube';

/** What a Job's status says, with the zeros that Go leaves out. */
export type Recorded = {
  readonly succeeded: number;
  readonly failed: number;
  /** Uids of pods that are over and not in the numbers yet. */
  readonly uncounted: { readonly succeeded: readonly string[]; readonly failed: readonly string[] };
  readonly completedIndexes: string;
  readonly failedIndexes: string;
  readonly conditions: readonly batchv1.JobCondition[];
};

export function recorded({ status = {} }: Stored<batchv1.Job>): Recorded {
  const { succeeded = 0, failed = 0, uncountedTerminatedPods: uncounted = {} } = status;
  return {
    succeeded,
    failed,
    uncounted: { succeeded: uncounted.succeeded ?? [], failed: uncounted.failed ?? [] },
    completedIndexes: status.completedIndexes ?? '',
    failedIndexes: status.failedIndexes ?? '',
    conditions: status.conditions ?? [],
  };
}

export function uidOf({ metadata }: Stored<corev1.Pod>): string {
  return metadata.uid;
}
