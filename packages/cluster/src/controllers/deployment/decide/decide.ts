import { type appsv1, type corev1, defined, jsonEqual, type Named, type Stored } from '@kubewright/kube';
import { REVISION, ROLLBACK_TO } from '../constants.ts';
import type { Observed } from '../observe.ts';
import { cleanUp } from './clean-up.ts';
import type { Conditions } from './conditions.ts';
import type { DeploymentAction, DeploymentDecision } from './deployment-decision.ts';
import { findGenerations, type Generations } from './find-generations.ts';
import { newReplicaSet } from './new-replica-set.ts';
import {
  isComplete,
  nextProgressCheck,
  pauseCondition,
  replicaSetCondition,
  rolloutConditions,
} from './rollout-conditions.ts';
import { desiredOf, isActiveSet, sizeOf } from './replica-counts.ts';
import { currentAnnotations, nextRevision, sizeAnnotations } from './next-revision.ts';
import { type Resize, rolledSize, shrinkOld } from './rolled-size.ts';
import { hasStaleSize, isScaling, scaleAll } from './scale-all.ts';
import { statusOf } from './status-of.ts';

/** `Current` need not be stored yet. */
type Situation<Current extends Named<appsv1.ReplicaSet> = Stored<appsv1.ReplicaSet>> = {
  readonly observed: Observed;
  readonly deployment: Stored<appsv1.Deployment>;
  readonly generations: Generations<Current>;
  /** Of the current ReplicaSet as it is stored. */
  readonly revision: string | undefined;
  readonly conditions: Conditions;
  readonly now: number;
};

/**
 * The next step of a Deployment towards its template and its size: one step at a time, and each leaves a state from
 * which the next can be decided. `now` is in milliseconds.
 */
export function decide(observed: Observed, now: number): DeploymentDecision {
  const { deployment, replicaSets } = observed;
  if (selectsAll(deployment)) return selectingAll(deployment);
  const generations = findGenerations(deployment, replicaSets);
  const conditions = deployment.status?.conditions ?? [];
  const revision = generations.current?.metadata.annotations?.[REVISION];
  const situation = { observed, deployment, generations, revision, conditions, now };
  if (deployment.metadata.deletionTimestamp !== undefined) return decisionOf(situation, [], 'Deleting');
  return rollOut({ ...situation, conditions: pauseCondition(deployment, conditions, now) });
}

/** Such a Deployment would take everybody's ReplicaSets. */
export function selectsAll({ spec }: Stored<appsv1.Deployment>): boolean {
  return Object.keys(spec.selector).length === 0;
}

function selectingAll({ metadata, status }: Stored<appsv1.Deployment>): DeploymentDecision {
  const message = 'This deployment is selecting all pods. A non-empty selector is required.';
  return {
    actions: [],
    events: [{ type: 'Warning', reason: 'SelectingAll', message }],
    write: { status: { ...status, observedGeneration: metadata.generation ?? 0 } },
    reason: 'SelectingAll',
  };
}

/**
 * What the current ReplicaSet is to inherit is written first, and the rest decided as if it held: a webhook may undo
 * it, and an update that changes nothing is followed by no event.
 */
function rollOut(situation: Situation): DeploymentDecision {
  const { deployment, generations, observed } = situation;
  const { current, old } = generations;
  const renewed = current === undefined ? undefined : renew(deployment, current, old);
  if (renewed === undefined) return step(situation);
  const wait = observed.renewalWait(renewed);
  if (wait > 0) return sooner(step(situation), wait);
  const decision = step({ ...situation, generations: { current: renewed, old } });
  // A new size goes with it.
  const scaled = decision.actions.some(
    (action) => action.type === 'scale' && isSame(action.replicaSet, renewed),
  );
  if (scaled) return decision;
  return { ...decision, actions: [{ type: 'update', replicaSet: renewed }, ...decision.actions] };
}

function sooner(decision: DeploymentDecision, wait: number): DeploymentDecision {
  return { ...decision, requeueAfter: Math.min(wait, decision.requeueAfter ?? wait) };
}

function isSame(
  { metadata: a }: Stored<appsv1.ReplicaSet>,
  { metadata: b }: Stored<appsv1.ReplicaSet>,
): boolean {
  return a.uid === b.uid;
}

function step(situation: Situation): DeploymentDecision {
  const { deployment, generations } = situation;
  const { current, old } = generations;
  const all = [...old, ...(current === undefined ? [] : [current])];
  if (deployment.spec.paused === true || isScaling(deployment, all)) return scale(situation);
  if (deployment.metadata.annotations?.[ROLLBACK_TO] !== undefined)
    return decisionOf(situation, [], 'RollbackUnsupported');
  return deployment.spec.strategy?.type === 'Recreate' ? recreate(situation) : roll(situation);
}

/** The current ReplicaSet with what its Deployment hands down; undefined if it has all of it. */
function renew(
  deployment: Stored<appsv1.Deployment>,
  current: Stored<appsv1.ReplicaSet>,
  old: readonly Stored<appsv1.ReplicaSet>[],
): Stored<appsv1.ReplicaSet> | undefined {
  const present = current.metadata.annotations ?? {};
  const annotations = {
    ...currentAnnotations(deployment, present, nextRevision(old)),
    ...(hasStaleSize(deployment, current, old) ? sizeAnnotations(deployment) : {}),
  };
  const minReadySeconds = deployment.spec.minReadySeconds ?? 0;
  if (jsonEqual(annotations, present) && (current.spec.minReadySeconds ?? 0) === minReadySeconds)
    return undefined;
  return {
    ...current,
    metadata: { ...current.metadata, annotations },
    spec: { ...current.spec, minReadySeconds },
  };
}

function scale(situation: Situation): DeploymentDecision {
  const { deployment, generations } = situation;
  const resizes = resizing(deployment, scaleAll(deployment, generations), true);
  if (resizes.length > 0 || deployment.spec.paused !== true) return decisionOf(situation, resizes, 'Scaling');
  return decisionOf(situation, cleanUp(deployment, generations.old), 'Paused');
}

/** All old pods are gone before the first new one comes. */
function recreate(situation: Situation): DeploymentDecision {
  const { deployment, generations, observed } = situation;
  const { current, old } = generations;
  const down = old.filter(isActiveSet).map((replicaSet) => ({ replicaSet, replicas: 0 }));
  if (down.length > 0) return rolling(situation, resizing(deployment, down), 'ScalingDown');
  const oldPods = observed.replicaSets
    .filter(({ metadata }) => metadata.uid !== current?.metadata.uid)
    .flatMap(({ metadata }) => observed.podsOf(metadata.uid));
  const counted = old.some(({ status }) => (status?.replicas ?? 0) > 0);
  if (counted || oldPods.some(isRunning)) return rolling(situation, [], 'WaitingForOldPods');
  if (current === undefined) return create(situation);
  if (sizeOf(current) !== desiredOf(deployment)) {
    const up = [{ replicaSet: current, replicas: desiredOf(deployment) }];
    return rolling(situation, resizing(deployment, up), 'ScalingUp');
  }
  return finish(situation);
}

function isRunning({ status }: Stored<corev1.Pod>): boolean {
  return status?.phase !== 'Succeeded' && status?.phase !== 'Failed';
}

function roll(situation: Situation): DeploymentDecision {
  const { deployment, generations } = situation;
  const { current, old } = generations;
  if (current === undefined) return create(situation);
  const replicas = rolledSize(deployment, [...old, current], current);
  if (replicas !== sizeOf(current))
    return rolling(situation, resizing(deployment, [{ replicaSet: current, replicas }]), 'ScalingUp');
  const down = shrinkOld(deployment, current, old);
  if (down.length > 0) return rolling(situation, resizing(deployment, down), 'ScalingDown');
  return finish(situation);
}

function finish(situation: Situation): DeploymentDecision {
  const { deployment, generations } = situation;
  if (!isComplete(deployment, deployment.status)) return rolling(situation, [], 'Progressing');
  return rolling(situation, cleanUp(deployment, generations.old), 'Complete');
}

function create(situation: Situation): DeploymentDecision {
  const { deployment, generations, now } = situation;
  const replicaSet = newReplicaSet(deployment, generations.old);
  const { name } = replicaSet.metadata;
  const conditions = replicaSetCondition(deployment, situation.conditions, { type: 'created', name, now });
  const revision = replicaSet.metadata.annotations?.[REVISION];
  const made = { ...situation, conditions, revision, generations: { ...generations, current: replicaSet } };
  return rolling(made, [{ type: 'create', replicaSet }], 'Creating');
}

/** Sizes to set. Shares (`always`) also update the annotations with the Deployment's size. */
function resizing(
  deployment: Stored<appsv1.Deployment>,
  resizes: readonly Resize[],
  always = false,
): readonly DeploymentAction[] {
  const sizes = sizeAnnotations(deployment);
  return resizes.flatMap(({ replicaSet, replicas }) => {
    const annotations = { ...replicaSet.metadata.annotations, ...sizes };
    const same = jsonEqual(annotations, replicaSet.metadata.annotations ?? {});
    if (sizeOf(replicaSet) === replicas && (!always || same)) return [];
    const scaled = {
      ...replicaSet,
      metadata: { ...replicaSet.metadata, annotations },
      spec: { ...replicaSet.spec, replicas },
    };
    return [{ type: 'scale', replicaSet: scaled, from: sizeOf(replicaSet) } as const];
  });
}

/** A step of a rollout, with what it says about progress. */
function rolling(
  situation: Situation<Named<appsv1.ReplicaSet>>,
  actions: readonly DeploymentAction[],
  reason: DeploymentDecision['reason'],
): DeploymentDecision {
  const { deployment, generations, now } = situation;
  const decision = decisionOf(situation, actions, reason);
  const status = decision.write?.status ?? {};
  const conditions = rolloutConditions(deployment, generations, status, now);
  const next = { ...status, conditions };
  const requeueAfter = nextProgressCheck(deployment, next, now);
  return {
    ...decision,
    write: { ...decision.write, status: next },
    ...defined({ requeueAfter }),
  };
}

/** A step, with the counts and the revision as they are. */
function decisionOf(
  situation: Situation<Named<appsv1.ReplicaSet>>,
  actions: readonly DeploymentAction[],
  reason: DeploymentDecision['reason'],
): DeploymentDecision {
  const { deployment, generations, revision, now } = situation;
  const { current } = generations;
  const conditions =
    current === undefined
      ? situation.conditions
      : replicaSetCondition(deployment, situation.conditions, {
          type: 'found',
          name: current.metadata.name,
          now,
        });
  const status = statusOf(deployment, generations, conditions, now);
  return { actions, write: { status, ...defined({ revision }) }, reason };
}
