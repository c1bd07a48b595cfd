import { batchv1, corev1, type Stored } from '@kubewright/kube';
import type { Cache, Request } from '@kubewright/runtime';
import { candidatesFor } from '../workloads/watch-controlled.ts';

/** Everything that a decision about one Job needs. */
export type Observed = {
  readonly job: Stored<batchv1.Job>;
  /** Its own pods and the orphans of its namespace. */
  readonly candidates: readonly Stored<corev1.Pod>[];
};

export function observe(cache: Cache, request: Request): Observed | undefined {
  const job = cache.get(batchv1.jobs, request);
  return job === undefined ? undefined : { job, candidates: candidatesFor(cache, corev1.pods, job) };
}
