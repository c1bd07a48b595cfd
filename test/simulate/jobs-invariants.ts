import type { History } from '@kubewright/cluster';
import { type batchv1, controllerOf, type corev1 } from '@kubewright/kube';

export function endOf({ status }: batchv1.Job): string | undefined {
  const end = status?.conditions?.find(
    ({ type, status: holds }) => (type === 'Complete' || type === 'Failed') && holds === 'True',
  );
  return end === undefined ? undefined : `${end.type} ${end.reason}`;
}

export function tracked({ metadata }: corev1.Pod): boolean {
  return metadata.finalizers?.includes('batch.kubernetes.io/job-tracking') === true;
}

function jobsOf(history: History): readonly { readonly at: number; readonly object: batchv1.Job }[] {
  return history.all
    .filter(({ resource }) => resource === 'jobs')
    .map(({ at, object }) => ({ at, object: object as batchv1.Job }));
}

/** Uids of pods that were over at a moment, or being deleted, by that of their Job. */
function endedPods(history: History, job: string, at: number): ReadonlySet<string | undefined> {
  const pods = history.all
    .filter((write) => write.resource === 'pods' && write.at <= at)
    .map(({ type, object }) => ({ type, pod: object as corev1.Pod }))
    .filter(({ pod }) => controllerOf(pod)?.uid === job);
  const ended = pods.filter(({ type, pod: { metadata, status } }) => {
    const isOver = status?.phase === 'Succeeded' || status?.phase === 'Failed';
    return isOver || type === 'DELETED' || metadata.deletionTimestamp !== undefined;
  });
  return new Set(ended.map(({ pod }) => pod.metadata.uid));
}

/** A Job counts no pod twice, and takes nothing back. */
function countedOnce(history: History): string | undefined {
  const last = new Map<string, number>();
  for (const { at, object } of jobsOf(history)) {
    const { uid = '', name } = object.metadata;
    const { succeeded = 0, failed = 0 } = object.status ?? {};
    const count = succeeded + failed;
    if (count < (last.get(uid) ?? 0)) return `at ${at} ${name} took back what it had counted`;
    const pods = endedPods(history, uid, at).size;
    if (count > pods) return `at ${at} ${name} counted ${count}, of ${pods} pods that were over`;
    last.set(uid, count);
  }
  return undefined;
}

/** What has been said of how a Job ends stands, and is said once. */
function endsOnce(history: History): string | undefined {
  const said = new Map<string, string>();
  for (const { at, object } of jobsOf(history)) {
    const { uid = '', name } = object.metadata;
    const words = (object.status?.conditions ?? []).map(({ type, reason }) => `${type} ${reason}`);
    if (new Set(words).size < words.length) return `at ${at} ${name} said something twice`;
    const before = said.get(uid) ?? '';
    if (!words.join().startsWith(before)) return `at ${at} ${name} said ${words.join()} after ${before}`;
    said.set(uid, words.join());
  }
  return undefined;
}

/** A Job is complete with no less than it wanted. */
function completeWithAll(history: History): string | undefined {
  for (const { at, object: job } of jobsOf(history)) {
    const { status = {}, spec, metadata } = job;
    if (endOf(job)?.startsWith('Complete') !== true) continue;
    const enough = (status.succeeded ?? 0) >= (spec.completions ?? 1);
    if (!enough) return `at ${at} ${metadata.name} was complete with ${status.succeeded ?? 0}`;
  }
  return undefined;
}

export const JOBS_INVARIANTS = {
  'a Job counts once': countedOnce,
  'a Job ends once': endsOnce,
  'a complete Job has what it wanted': completeWithAll,
};
