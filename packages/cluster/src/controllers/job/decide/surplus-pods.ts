import { type batchv1, type corev1, parseTime, type Stored } from '@kubewright/kube';
import { isReady, readySince } from '../../workloads/pod-state.ts';
import { completionIndex, isIndexed, isValid } from './job-pods.ts';

type Pod = Stored<corev1.Pod>;

const PHASES = ['Pending', 'Unknown', 'Running'];

/** Active pods that must go: at least `count`, and all of an indexed Job that have no index, or another's. */
export function surplusPods(job: Stored<batchv1.Job>, active: readonly Pod[], count: number): readonly Pod[] {
  const ordered = [...active].sort(byProgress);
  const misplaced = isIndexed(job)
    ? ordered.filter((pod, at) => isMisplaced(job, pod, ordered.slice(at + 1)))
    : [];
  const rest = ordered.filter((pod) => !misplaced.includes(pod));
  return [...misplaced, ...rest.slice(0, Math.max(0, count - misplaced.length))];
}

/** Of several pods of one index the last stays. */
function isMisplaced(job: Stored<batchv1.Job>, pod: Pod, others: readonly Pod[]): boolean {
  return !isValid(pod, job) || others.some((other) => completionIndex(other) === completionIndex(pod));
}

/** First those that have come least far, as `ActivePods` of Kubernetes sorts them. */
function byProgress(a: Pod, b: Pod): number {
  return (
    Number(isAssigned(a)) - Number(isAssigned(b)) ||
    phaseOf(a) - phaseOf(b) ||
    Number(isReady(a)) - Number(isReady(b)) ||
    later(readySince(a), readySince(b)) ||
    restartsOf(b) - restartsOf(a) ||
    later(madeAt(a), madeAt(b))
  );
}

const isAssigned = ({ spec }: Pod): boolean => (spec.nodeName ?? '') !== '';
const phaseOf = ({ status }: Pod): number => PHASES.indexOf(status?.phase ?? '');

/** Negative if `a` is the later one; a time that nobody noted counts as later than any. */
function later(a = Number.POSITIVE_INFINITY, b = Number.POSITIVE_INFINITY): number {
  return a === b ? 0 : b - a;
}

function restartsOf({ status }: Pod): number {
  return Math.max(0, ...(status?.containerStatuses ?? []).map(({ restartCount }) => restartCount));
}

function madeAt({ metadata }: Pod): number | undefined {
  const time = metadata.creationTimestamp;
  return typeof time === 'string' ? parseTime(time).getTime() : undefined;
}
