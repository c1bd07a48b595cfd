import { compareText, type corev1, parseTime, type Stored } from '@kubewright/kube';
import { isActive, isReady, readySince } from './pod-state.ts';

type Pod = Stored<corev1.Pod>;

const DELETION_COST = 'controller.kubernetes.io/pod-deletion-cost';
const PHASES = ['Pending', 'Unknown', 'Running'];

/**
 * The pods in the order in which a ReplicaSet gives them up, as `ActivePodsWithRanks` of Kubernetes sorts them: not
 * assigned, early in their life, not ready, cheap to delete, sharing a node with many `related` pods, ready or made
 * recently, restarted often. Ages count by their logarithm, so that of pods about as old chance (the uid) decides.
 */
export function rankPods(pods: readonly Pod[], related: readonly Pod[], now: number): readonly Pod[] {
  const onNode = new Map<string, number>();
  for (const pod of related.filter(isActive)) onNode.set(nodeOf(pod), (onNode.get(nodeOf(pod)) ?? 0) + 1);
  const rank = (pod: Pod): number => onNode.get(nodeOf(pod)) ?? 0;
  return [...pods].sort(
    (a, b) =>
      Number(nodeOf(a) !== '') - Number(nodeOf(b) !== '') ||
      phaseOf(a) - phaseOf(b) ||
      Number(isReady(a)) - Number(isReady(b)) ||
      deletionCost(a) - deletionCost(b) ||
      rank(b) - rank(a) ||
      younger(readySince(a), readySince(b), [a, b], now) ||
      restarts(b) - restarts(a) ||
      younger(createdAt(a), createdAt(b), [a, b], now),
  );
}

const nodeOf = (pod: Pod): string => pod.spec.nodeName ?? '';
const phaseOf = (pod: Pod): number => PHASES.indexOf(pod.status?.phase ?? '');

/** A cost that is no integer of 32 bits counts as none. */
function deletionCost({ metadata }: Pod): number {
  const text = metadata.annotations?.[DELETION_COST] ?? '';
  const cost = /^(?:0|-?[1-9]\d*)$/.test(text) ? Number(text) : 0;
  return cost === (cost | 0) ? cost : 0;
}

function restarts({ status }: Pod): number {
  const counts = (status?.containerStatuses ?? []).map(({ restartCount }) => restartCount);
  return Math.max(0, ...counts);
}

function createdAt({ metadata }: Pod): number | undefined {
  return typeof metadata.creationTimestamp === 'string'
    ? parseTime(metadata.creationTimestamp).getTime()
    : undefined;
}

/** Negative if the first of the two should go first. */
function younger(
  a: number | undefined,
  b: number | undefined,
  [podA, podB]: readonly [Pod, Pod],
  now: number,
): number {
  if (a === b) return 0;
  if (a === undefined || b === undefined) return a === undefined ? -1 : 1;
  const difference = magnitude(now - a) - magnitude(now - b);
  if (difference !== 0) return difference;
  return compareText(podA.metadata.uid, podB.metadata.uid);
}

/** The logarithm to base 2 of an age, whole. Kubernetes counts nanoseconds. */
function magnitude(ms: number): number {
  return ms <= 0 ? -1 : Math.floor(Math.log2(ms * 1e6));
}
