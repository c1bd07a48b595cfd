import type { appsv1, Stored } from '@kubewright/kube';
import { parseInt64 } from '@kubewright/kube/selectors';
import { DESIRED_REPLICAS, MAX_REPLICAS, UNLIMITED } from '../constants.ts';
import { byCreation, type Generations } from './find-generations.ts';
import { availableOf, desiredOf, isActiveSet, maxPodsOf, sizeOf, totalSize } from './replica-counts.ts';
import type { Resize } from './rolled-size.ts';

type Deployment = Stored<appsv1.Deployment>;
type ReplicaSet = Stored<appsv1.ReplicaSet>;

/** The size in an annotation; undefined if it is none. */
function annotated({ metadata }: ReplicaSet, name: string): number | undefined {
  const value = parseInt64(metadata.annotations?.[name]);
  return value === undefined || value < 0n || value > BigInt(UNLIMITED) ? undefined : Number(value);
}

/**
 * True if the Deployment's size differs from the annotations of its ReplicaSets. Those of the only active one do not count
 * if it has that size: a webhook kept the old annotations, and there is nothing to scale.
 */
export function isScaling(deployment: Deployment, all: readonly ReplicaSet[]): boolean {
  const active = all.filter(isActiveSet);
  const desired = desiredOf(deployment);
  if (active.length === 1 && active.every((only) => sizeOf(only) === desired)) return false;
  const recorded = active.map((replicaSet) => annotated(replicaSet, DESIRED_REPLICAS));
  return recorded.some((size) => size !== undefined && size !== desired);
}

/** True if the current ReplicaSet has all the pods, and its annotations have another size. */
export function hasStaleSize(
  deployment: Deployment,
  current: ReplicaSet,
  old: readonly ReplicaSet[],
): boolean {
  const recorded = current.metadata.annotations?.[DESIRED_REPLICAS];
  const desired = desiredOf(deployment);
  if (recorded === undefined || recorded === String(desired)) return false;
  return isActiveSet(current) && sizeOf(current) === desired && !old.some(isActiveSet);
}

/**
 * New sizes when the Deployment was scaled, or while it is paused: all of it to the only active ReplicaSet; in the
 * middle of a rolling update each gets its share, so that the rollout neither gains nor loses ground.
 */
export function scaleAll(deployment: Deployment, { current, old }: Generations): readonly Resize[] {
  const desired = desiredOf(deployment);
  const only = onlyActiveOrLatest({ current, old });
  if (only !== undefined) return sizeOf(only) === desired ? [] : [{ replicaSet: only, replicas: desired }];
  if (current !== undefined && isSaturated(deployment, current))
    return old.filter(isActiveSet).map((replicaSet) => ({ replicaSet, replicas: 0 }));
  if (deployment.spec.strategy?.type !== 'RollingUpdate') return [];
  return shares(deployment, [...old, ...(current === undefined ? [] : [current])].filter(isActiveSet));
}

function onlyActiveOrLatest({ current, old }: Generations): ReplicaSet | undefined {
  const all = [...old, ...(current === undefined ? [] : [current])];
  const active = all.filter(isActiveSet);
  if (active.length > 1) return undefined;
  return active[0] ?? current ?? [...old].sort(byCreation).at(-1);
}

/** The current one has all the pods that are wanted, all available, and knows that no more are. */
function isSaturated(deployment: Deployment, current: ReplicaSet): boolean {
  const desired = desiredOf(deployment);
  const recorded = annotated(current, DESIRED_REPLICAS);
  return sizeOf(current) === desired && recorded === desired && availableOf(current) === desired;
}

/** Largest first; of two of the same size, growing begins with the newer and shrinking with the older. */
function shares(deployment: Deployment, active: readonly ReplicaSet[]): readonly Resize[] {
  const allowed = desiredOf(deployment) > 0 ? maxPodsOf(deployment) : 0;
  const toAdd = allowed - totalSize(active);
  const sorted = [...active].sort(
    (a, b) => sizeOf(b) - sizeOf(a) || (toAdd > 0 ? byCreation(b, a) : byCreation(a, b)),
  );
  let added = 0;
  const sizes = sorted.map((replicaSet) => {
    const left = toAdd - added;
    const wanted = left === 0 ? 0 : share(deployment, replicaSet);
    const part = toAdd > 0 ? Math.min(wanted, left) : Math.max(wanted, left);
    added += toAdd === 0 ? 0 : part;
    return sizeOf(replicaSet) + (toAdd === 0 ? 0 : part);
  });
  // What rounding left over is the largest one's.
  if (sizes[0] !== undefined) sizes[0] = Math.max(0, sizes[0] + toAdd - added);
  return sorted.map((replicaSet, index) => ({ replicaSet, replicas: sizes[index] ?? 0 }));
}

/** Pods that one ReplicaSet gains or loses when the whole grows or shrinks to its new size. */
function share(deployment: Deployment, replicaSet: ReplicaSet): number {
  const size = sizeOf(replicaSet);
  if (desiredOf(deployment) === 0) return -size;
  const before = annotated(replicaSet, MAX_REPLICAS) || (deployment.status?.replicas ?? 0);
  if (before === 0) return 0;
  return Math.round((size * maxPodsOf(deployment)) / before) - size;
}
