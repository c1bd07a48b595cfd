import type { batchv1, corev1, Stored } from '@kubewright/kube';
import {
  COMPLETION_INDEX,
  INDEX_FAILURES,
  INDEX_IGNORED_FAILURES,
  TRACKING_FINALIZER,
} from '../constants.ts';
import { indexSet, type IndexSet } from './index-set.ts';

type Pod = corev1.Pod;

export function isIndexed({ spec }: Stored<batchv1.Job>): boolean {
  return spec.completionMode === 'Indexed';
}

export function isSuspended({ spec }: Stored<batchv1.Job>): boolean {
  return spec.suspend === true;
}

/** Still to be counted. */
export function isTracked({ metadata }: Pod): boolean {
  return metadata.finalizers?.includes(TRACKING_FINALIZER) === true;
}

export function isSucceeded({ status }: Pod): boolean {
  return status?.phase === 'Succeeded';
}

/** Whether a pod is replaced only once it has failed, and not as soon as it is being deleted. */
export function replacesOnlyFailed({ spec }: Stored<batchv1.Job>): boolean {
  return spec.podReplacementPolicy === 'Failed' || spec.podFailurePolicy !== undefined;
}

/** Failed, or being deleted before it could end, where the Job does not wait for that. */
export function isFailed(pod: Pod, job: Stored<batchv1.Job>): boolean {
  if (pod.status?.phase === 'Failed') return true;
  if (replacesOnlyFailed(job)) return false;
  return pod.metadata.deletionTimestamp !== undefined && !isSucceeded(pod);
}

/** Undefined for a pod without a valid one. */
export function completionIndex({ metadata }: Pod): number | undefined {
  const text = metadata.annotations?.[COMPLETION_INDEX] ?? '';
  return /^[+-]?\d{1,15}$/.test(text) && Number(text) >= 0 ? Number(text) : undefined;
}

/** Of a Job that is indexed, a pod with an index below `completions`; of another, any pod. */
export function isValid(pod: Pod, job: Stored<batchv1.Job>): boolean {
  if (!isIndexed(job)) return true;
  const index = completionIndex(pod);
  return index !== undefined && index < (job.spec.completions ?? 0);
}

export function indexesOf(pods: readonly Pod[]): IndexSet {
  return indexSet(pods.map(completionIndex).filter((index) => index !== undefined));
}

/** How often this pod's index had failed before it, without failures that a rule ignored. */
export function indexFailures(pod: Pod): number {
  return countOf(pod, INDEX_FAILURES);
}

export function ignoredIndexFailures(pod: Pod): number {
  return countOf(pod, INDEX_IGNORED_FAILURES);
}

/** An annotation that is no integer of 32 bits counts as none. */
function countOf({ metadata }: Pod, annotation: string): number {
  const text = metadata.annotations?.[annotation] ?? '';
  const count = /^[+-]?\d{1,15}$/.test(text) ? Number(text) : 0;
  return count >= 0 && count === (count | 0) ? count : 0;
}
