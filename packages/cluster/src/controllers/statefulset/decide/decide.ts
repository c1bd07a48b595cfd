import type { appsv1, corev1, Named, Stored } from '@kubewright/kube';
import { nextAvailability } from '../../workloads/pod-state.ts';
import { needsNothing, planClaims } from './plan-claims.ts';
import type { Observed, PodAction, Stage, StatefulSetDecision } from './stateful-set-decision.ts';
import { firstOrdinal, isInRange, ordinalOf, replicasOf } from './ordinal-of.ts';
import { isCreated, isLeaving, isRunningAndReady, isUnavailable } from './pod-phase.ts';
import { missingPod, revisionOf } from './missing-pod.ts';
import { decideReplica, type Step } from './decide-replica.ts';
import { statusOf, withUpdateCompleted } from './status-of.ts';

type Pod = Named<corev1.Pod>;

/** The pods of a set, and those that take part in its next step. */
type Members = {
  /** By their place, those that are to be made next included. */
  readonly replicas: readonly Pod[];
  /** There are places beyond these whose pods are to be made later. */
  readonly partial: boolean;
  /** Outside of the range: to go, the highest first. */
  readonly condemned: readonly Pod[];
};

/**
 * The next step of one StatefulSet: pods in their places first, then those that have none, then the update. `now` is
 * in milliseconds. In an ordered set a pod that is not well stops everything behind it.
 */
export function decide(observed: Observed, now: number): StatefulSetDecision {
  const { set } = observed;
  const members = membersOf(observed);
  const parallel = set.spec.podManagementPolicy === 'Parallel';
  const leaving = set.metadata.deletionTimestamp !== undefined;
  const stages = leaving ? [] : stagesOf(observed, members, { parallel, now });
  const updates = stages[UPDATE] !== undefined && stages[UPDATE].length > 0;
  return {
    stages,
    parallel,
    status: (succeeded) => statusAfter(observed, members, { now, updated: succeeded && updates }),
    ...requeue(observed, now),
  };
}

/** Pods of a parallel set made in one go; an ordered one makes one. A set may ask for two billion. */
const BURST = 500;

/** Of the stages, the one that takes pods of other revisions away. */
const UPDATE = 3;

function membersOf(observed: Observed): Members {
  const { set, pods } = observed;
  const inRange = pods.filter((pod) => isInRange(set, pod));
  const placed = new Set(inRange.map(ordinalOf));
  const end = firstOrdinal(set) + replicasOf(set);
  const most = set.spec.podManagementPolicy === 'Parallel' ? BURST : 1;
  const missing: Pod[] = [];
  let place = firstOrdinal(set);
  for (; place < end && missing.length < most; place++)
    if (!placed.has(place)) missing.push(missingPod(set, observed, place));
  const replicas = [...inRange, ...missing].sort((a, b) => ordinalOf(a) - ordinalOf(b));
  const condemned = pods
    .filter((pod) => ordinalOf(pod) >= 0 && !isInRange(set, pod))
    .sort((a, b) => ordinalOf(b) - ordinalOf(a));
  return { replicas, partial: inRange.length + missing.length < replicasOf(set), condemned };
}

type Mode = { readonly parallel: boolean; readonly now: number };

function stagesOf(observed: Observed, members: Members, mode: Mode): readonly Stage[] {
  const { set, findClaim } = observed;
  const replicas = inTurn(members.replicas, mode, (pod) => decideReplica(set, pod, { ...mode, findClaim }));
  if (replicas.blocked) return [replicas.stage];
  const retained = members.condemned.map((pod) => retain(observed, pod));
  const unwell = firstUnavailable(observed, members, mode);
  const removed = inTurn(members.condemned, mode, (pod) => ({
    actions:
      isLeaving(pod) || (!mode.parallel && !mayGo(set, pod, { unwell, now: mode.now }))
        ? []
        : [{ type: 'delete', pod }],
    blocks: true,
  }));
  if (removed.blocked) return [replicas.stage, retained, removed.stage];
  return [replicas.stage, retained, removed.stage, update(observed, members, mode)];
}

/** In an ordered set what comes after a pod that blocks is left for later. */
function inTurn(
  pods: readonly Pod[],
  { parallel }: Mode,
  decideOne: (pod: Pod) => Step,
): { readonly stage: Stage; readonly blocked: boolean } {
  const steps: Step[] = [];
  for (const pod of pods) {
    const step = decideOne(pod);
    steps.push(step);
    if (step.blocks && !parallel) return { stage: steps.map(({ actions }) => actions), blocked: true };
  }
  return { stage: steps.map(({ actions }) => actions), blocked: false };
}

function retain({ set, findClaim: find }: Observed, pod: Pod): readonly PodAction[] {
  const claims = planClaims(set, pod, { find, lacking: false });
  return needsNothing(claims) ? [] : [{ type: 'retain', pod, claims }];
}

/** The lowest pod that is not well, which an ordered set may take away before the others are. */
function firstUnavailable(
  { set }: Observed,
  { replicas, condemned }: Members,
  { now }: Mode,
): Pod | undefined {
  const unwell = (pod: Pod): boolean => isUnavailable(pod, set.spec.minReadySeconds ?? 0, now);
  return replicas.find(unwell) ?? condemned.findLast(unwell);
}

function mayGo(
  { spec }: Stored<appsv1.StatefulSet>,
  pod: Pod,
  { unwell, now }: { readonly unwell: Pod | undefined; readonly now: number },
): boolean {
  return pod === unwell || (isRunningAndReady(pod) && !isUnavailable(pod, spec.minReadySeconds ?? 0, now));
}

/** One pod at a time, the highest first, while all above it are well. */
function update(
  { set, update: { revision } }: Observed,
  { replicas, partial }: Members,
  { now }: Mode,
): Stage {
  if (partial) return [];
  for (const pod of updated(set, replicas)) {
    if (!isCreated(pod)) return [];
    if (revisionOf(pod) !== revision && !isLeaving(pod)) return [[{ type: 'delete', pod }]];
    if (isUnavailable(pod, set.spec.minReadySeconds ?? 0, now)) return [];
  }
  return [];
}

/** The pods that an update may take away, the highest first: those from the partition on. */
function updated({ spec }: Stored<appsv1.StatefulSet>, replicas: readonly Pod[]): readonly Pod[] {
  const { type, rollingUpdate } = spec.updateStrategy ?? {};
  return type === 'OnDelete' ? [] : replicas.slice(rollingUpdate?.partition ?? 0).reverse();
}

function statusAfter(
  { set, pods, current, update: next, collisions }: Observed,
  { replicas, condemned }: Members,
  { now, updated }: { readonly now: number; readonly updated: boolean },
): appsv1.StatefulSetStatus {
  const leaving = set.metadata.deletionTimestamp !== undefined;
  const revisions = { current: current.revision, update: next.revision, collisions };
  const status = statusOf(set, { pods: leaving ? pods : [...replicas, ...condemned], revisions, now });
  const { currentReplicas = 0 } = status;
  return withUpdateCompleted(
    set,
    replicasOf(set),
    updated ? { ...status, currentReplicas: currentReplicas - 1 } : status,
  );
}

/** Pods that are ready become available by the passing of time alone. */
function requeue({ set, pods }: Observed, now: number): { readonly requeueAfter?: number } {
  const seconds = set.spec.minReadySeconds ?? 0;
  const wait = nextAvailability(pods, seconds, now);
  return wait === undefined ? {} : { requeueAfter: wait };
}
