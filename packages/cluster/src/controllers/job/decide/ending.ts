import type { batchv1, Stored } from '@kubewright/kube';

/** How a Job ends: recorded by a condition before anything is done about it, so that it cannot change. */
export type Ending = {
  readonly type: 'FailureTarget' | 'SuccessCriteriaMet';
  readonly reason: string;
  readonly message: string;
  readonly recorded?: true;
};

export function isFinished(job: Stored<batchv1.Job>): boolean {
  return holds(job, 'Complete') !== undefined || holds(job, 'Failed') !== undefined;
}

export function recordedEnding(job: Stored<batchv1.Job>): Ending | undefined {
  for (const type of ['SuccessCriteriaMet', 'FailureTarget'] as const) {
    const { reason = '', message = '' } = holds(job, type) ?? {};
    if (holds(job, type) !== undefined) return { type, reason, message, recorded: true };
  }
  return undefined;
}

function holds({ status }: Stored<batchv1.Job>, type: string): batchv1.JobCondition | undefined {
  return status?.conditions?.find((condition) => condition.type === type && condition.status === 'True');
}
