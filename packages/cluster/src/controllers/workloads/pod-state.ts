import { type corev1, parseTime } from '@kubewright/kube';

type Pod = corev1.Pod;

/** A pod that counts as a replica: neither over nor on its way out. */
export function isActive({ metadata, status }: Pod): boolean {
  return !isTerminal(status?.phase) && metadata.deletionTimestamp === undefined;
}

/** On its way out, and still holding its resources. */
export function isTerminating({ metadata, status }: Pod): boolean {
  return !isTerminal(status?.phase) && metadata.deletionTimestamp !== undefined;
}

/** Over, and never to run again. */
export function isTerminal(phase: string | undefined): boolean {
  return phase === 'Succeeded' || phase === 'Failed';
}

export function isReady(pod: Pod): boolean {
  return readyCondition(pod)?.status === 'True';
}

/** Milliseconds since the epoch; undefined if the pod is not ready or has no transition time. */
export function readySince(pod: Pod): number | undefined {
  return isReady(pod) ? readyTransition(pod) : undefined;
}

/** When readiness last changed, in milliseconds since the epoch. */
export function readyTransition(pod: Pod): number | undefined {
  const time = readyCondition(pod)?.lastTransitionTime;
  return time === undefined || time === null ? undefined : parseTime(time).getTime();
}

function readyCondition({ status }: Pod): corev1.PodCondition | undefined {
  return status?.conditions?.find(({ type }) => type === 'Ready');
}

/** Ready, and for at least `minReadySeconds`. `now` is in milliseconds. */
export function isAvailable(pod: Pod, minReadySeconds: number, now: number): boolean {
  if (!isReady(pod)) return false;
  if (minReadySeconds === 0) return true;
  const since = readySince(pod);
  return since !== undefined && since + minReadySeconds * 1000 <= now;
}

/** Milliseconds until the first of the ready pods that are not available yet becomes so; undefined if none will. */
export function nextAvailability(
  pods: readonly Pod[],
  minReadySeconds: number,
  now: number,
): number | undefined {
  const waits = pods.flatMap((pod) => {
    const since = isAvailable(pod, minReadySeconds, now) ? undefined : readySince(pod);
    return since === undefined ? [] : [since + minReadySeconds * 1000 - now];
  });
  return waits.length === 0 ? undefined : Math.min(...waits);
}
