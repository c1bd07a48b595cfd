import { type appsv1, parseTime, type Stored } from '@kubewright/kube';
import { UNLIMITED } from '../constants.ts';
import { type Conditions, conditionOf, renewed, withCondition, withoutCondition } from './conditions.ts';
import type { Generations } from './find-generations.ts';
import { desiredOf } from './replica-counts.ts';

type Deployment = Stored<appsv1.Deployment>;
type Status = appsv1.DeploymentStatus;

const PROGRESSING = 'Progressing';
const FAILURE = 'ReplicaFailure';
const DONE = 'NewReplicaSetAvailable';
const TIMED_OUT = 'ProgressDeadlineExceeded';
const PAUSED = 'DeploymentPaused';

/** Milliseconds that a rollout may stand still; undefined if as long as it likes. */
function deadlineOf({ spec }: Deployment): number | undefined {
  const seconds = spec.progressDeadlineSeconds;
  return seconds === undefined || seconds === UNLIMITED ? undefined : seconds * 1000;
}

/** All pods are of the current revision and available, and none is left of another. */
export function isComplete(deployment: Deployment, status: Status | undefined): boolean {
  const desired = desiredOf(deployment);
  const { updatedReplicas = 0, replicas = 0, availableReplicas = 0, observedGeneration = 0 } = status ?? {};
  const counts = updatedReplicas === desired && replicas === desired && availableReplicas === desired;
  return counts && observedGeneration >= (deployment.metadata.generation ?? 0);
}

/** Says that a pause began or ended, so that its time does not count against the deadline. */
export function pauseCondition(deployment: Deployment, conditions: Conditions, now: number): Conditions {
  const reason = conditionOf(conditions, PROGRESSING)?.reason;
  const paused = deployment.spec.paused === true;
  if (deadlineOf(deployment) === undefined || reason === TIMED_OUT || paused === (reason === PAUSED))
    return conditions;
  const condition = paused
    ? { reason: PAUSED, message: 'Deployment is paused' }
    : { reason: 'DeploymentResumed', message: 'Deployment is resumed' };
  return withCondition(conditions, { type: PROGRESSING, status: 'Unknown', ...condition }, now);
}

/** Says where the current ReplicaSet comes from; `found` only if nothing was said before. */
export function replicaSetCondition(
  deployment: Deployment,
  conditions: Conditions,
  condition: { readonly type: 'found' | 'created'; readonly name: string; readonly now: number },
): Conditions {
  if (deadlineOf(deployment) === undefined) return conditions;
  const known = conditionOf(conditions, PROGRESSING) !== undefined;
  if (condition.type === 'found' && known) return conditions;
  const reason =
    condition.type === 'found'
      ? { reason: 'FoundNewReplicaSet', message: `Found new replica set "${condition.name}"` }
      : { reason: 'NewReplicaSetCreated', message: `Created new replica set "${condition.name}"` };
  return withCondition(conditions, { type: PROGRESSING, status: 'True', ...reason }, condition.now);
}

/** The conditions of a rollout: whether it moves, is done or stuck, and why pods could not be made. */
export function rolloutConditions(
  deployment: Deployment,
  { current, old }: Generations<appsv1.ReplicaSet>,
  status: Status,
  now: number,
): Conditions {
  const all = [...old, ...(current === undefined ? [] : [current])];
  const progress = progressCondition(deployment, current, status, now);
  const failure = [...(current === undefined ? [] : [current]), ...all]
    .flatMap((replicaSet) => replicaSet.status?.conditions ?? [])
    .find(({ type }) => type === FAILURE);
  if (failure === undefined) return withoutCondition(progress, FAILURE);
  const { lastTransitionTime: since = null } = failure;
  const before = conditionOf(progress, FAILURE);
  if (before?.status === failure.status && before.reason === failure.reason) return progress;
  const times = since === null ? {} : { lastUpdateTime: since, lastTransitionTime: since };
  return [...withoutCondition(progress, FAILURE), { ...failure, ...times }];
}

function progressCondition(
  deployment: Deployment,
  current: appsv1.ReplicaSet | undefined,
  status: Status,
  now: number,
): Conditions {
  const conditions = status.conditions ?? [];
  if (deadlineOf(deployment) === undefined) return withoutCondition(conditions, PROGRESSING);
  const before = conditionOf(conditions, PROGRESSING);
  if (wasDone(status, before)) return conditions;
  const say = (reason: string, what: string, holds: 'True' | 'False' = 'True') =>
    ({
      type: PROGRESSING,
      status: holds,
      reason,
      message: `${subjectOf(deployment, current)} ${what}`,
    }) as const;
  if (isComplete(deployment, status))
    return withCondition(conditions, say(DONE, 'has successfully progressed.'), now);
  if (hasMoved(deployment.status ?? {}, status))
    return renewed(conditions, say('ReplicaSetUpdated', 'is progressing.'), now);
  if (isTimedOut(deployment, before, now))
    return withCondition(conditions, say(TIMED_OUT, 'has timed out progressing.', 'False'), now);
  return conditions;
}

/** A rollout that was done is not judged again because of a pod that comes or goes. */
function wasDone(
  { replicas = 0, updatedReplicas = 0 }: Status,
  before: appsv1.DeploymentCondition | undefined,
): boolean {
  return replicas === updatedReplicas && before?.reason === DONE;
}

function subjectOf(deployment: Deployment, current: appsv1.ReplicaSet | undefined): string {
  return current === undefined
    ? `Deployment "${deployment.metadata.name}"`
    : `ReplicaSet "${current.metadata.name}"`;
}

/** More new pods, fewer old ones, more ready or more available ones than at the last look. */
function hasMoved(before: Status, after: Status): boolean {
  const count = (
    status: Status,
    name: 'replicas' | 'updatedReplicas' | 'readyReplicas' | 'availableReplicas',
  ) => status[name] ?? 0;
  const old = (status: Status): number => count(status, 'replicas') - count(status, 'updatedReplicas');
  return (
    count(after, 'updatedReplicas') > count(before, 'updatedReplicas') ||
    old(after) < old(before) ||
    count(after, 'readyReplicas') > count(before, 'readyReplicas') ||
    count(after, 'availableReplicas') > count(before, 'availableReplicas')
  );
}

function isTimedOut(
  deployment: Deployment,
  condition: appsv1.DeploymentCondition | undefined,
  now: number,
): boolean {
  if (condition === undefined || condition.reason === DONE) return false;
  if (condition.reason === TIMED_OUT) return true;
  const due = deadlineAt(deployment, condition);
  return due !== undefined && due < now;
}

function deadlineAt(deployment: Deployment, condition: appsv1.DeploymentCondition): number | undefined {
  const deadline = deadlineOf(deployment);
  const { lastUpdateTime } = condition;
  if (deadline === undefined || typeof lastUpdateTime !== 'string') return undefined;
  return parseTime(lastUpdateTime).getTime() + deadline;
}

/** Milliseconds until a rollout that stands still has to be looked at again, a second after its deadline. */
export function nextProgressCheck(deployment: Deployment, status: Status, now: number): number | undefined {
  const condition = conditionOf(status.conditions ?? [], PROGRESSING);
  if (condition === undefined || condition.reason === TIMED_OUT || isComplete(deployment, status))
    return undefined;
  const due = deadlineAt(deployment, condition);
  return due === undefined ? undefined : Math.max(0, due - now) + 1000;
}

/** The conditions with the word that the current ReplicaSet could not be made. */
export function creationFailure(deployment: Deployment, message: string, now: number): Conditions {
  const conditions = deployment.status?.conditions ?? [];
  if (deadlineOf(deployment) === undefined) return conditions;
  const condition = { type: PROGRESSING, status: 'False', reason: 'ReplicaSetCreateError', message } as const;
  return withCondition(conditions, condition, now);
}
