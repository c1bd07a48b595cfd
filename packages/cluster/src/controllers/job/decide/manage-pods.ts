import type { corev1, Stored } from '@kubewright/kube';
import { isTerminating } from '../../workloads/pod-state.ts';
import type { Assessment } from './assess.ts';
import { type FailureRecord, remainingBackOff, remainingForIndex } from './remaining-back-off.ts';
import { firstMissing, indexSet, type IndexSet, NO_INDEXES, unionIndexes } from './index-set.ts';
import { completionIndex, isIndexed, isSuspended, replacesOnlyFailed } from './job-pods.ts';
import { newIndexedPod, newPod } from './new-pod.ts';
import { surplusPods } from './surplus-pods.ts';

type Pod = Stored<corev1.Pod>;

export type PodsStep =
  /** The finalizer of a pod that is not counted is removed first. */
  | { readonly type: 'delete'; readonly pods: readonly Pod[]; readonly counted: boolean }
  | { readonly type: 'create'; readonly pods: readonly corev1.Pod[] };

export type Management = {
  readonly step?: PodsStep;
  /** Milliseconds until pods may be made. */
  readonly wait?: number;
};

const NOTHING: Management = {};
/** Pods made or deleted in one go. */
const BURST = 500;

/** Which pods have to be made or deleted now. */
export function managePods(assessment: Assessment, failures: FailureRecord, now: number): Management {
  const { job, active, ending } = assessment;
  if (ending !== undefined) return remove(active, true);
  if (job.metadata.deletionTimestamp !== undefined) return NOTHING;
  if (isSuspended(job)) return remove(active, false);
  const wanted = wantedActive(assessment);
  const surplus = surplusPods(job, active, active.length - wanted);
  if (surplus.length > 0) return remove(surplus.slice(0, BURST), false);
  return addMissing(assessment, wanted, { failures, now });
}

function addMissing(
  assessment: Assessment,
  wanted: number,
  { failures, now }: { readonly failures: FailureRecord; readonly now: number },
): Management {
  const { job, active } = assessment;
  const leaving = replacesOnlyFailed(job) ? assessment.pods.filter(isTerminating) : [];
  const missing = Math.min(wanted - active.length - leaving.length, BURST);
  if (missing <= 0) return NOTHING;
  const perIndex = job.spec.backoffLimitPerIndex !== undefined;
  const wait = perIndex ? 0 : remainingBackOff(failures, now);
  if (wait > 0) return { wait };
  if (!isIndexed(job)) return create(Array.from({ length: missing }, () => newPod(job)));
  const taken = takenIndexes(assessment, [...active, ...leaving]);
  return createIndexed(assessment, firstMissing(taken, missing, job.spec.completions ?? 0), now);
}

function remove(pods: readonly Pod[], counted: boolean): Management {
  return pods.length === 0 ? NOTHING : { step: { type: 'delete', pods, counted } };
}

function create(pods: readonly corev1.Pod[]): Management {
  return pods.length === 0 ? NOTHING : { step: { type: 'create', pods } };
}

function wantedActive({ job, active, succeeded }: Assessment): number {
  const { completions, parallelism = 1 } = job.spec;
  if (completions !== undefined) return Math.max(0, Math.min(parallelism, completions - succeeded));
  // One success ends the work: nothing more is begun, and what runs is let run.
  return succeeded > 0 ? active.length : parallelism;
}

function takenIndexes({ succeededIndexes, failedIndexes }: Assessment, pods: readonly Pod[]): IndexSet {
  const busy = indexSet(pods.map(completionIndex).filter((index) => index !== undefined));
  return unionIndexes(succeededIndexes, failedIndexes ?? NO_INDEXES, busy);
}

/** Each index has its own back-off where failures are limited by index. */
function createIndexed(
  { job, awaitingSuccessor }: Assessment,
  indexes: readonly number[],
  now: number,
): Management {
  const waits = indexes.map((index) => remainingForIndex(awaitingSuccessor.get(index), now));
  const due = indexes.filter((_index, at) => waits[at] === 0);
  if (indexes.length > 0 && due.length === 0) return { wait: Math.min(...waits) };
  return create(due.map((index) => newIndexedPod(job, index, awaitingSuccessor.get(index))));
}
