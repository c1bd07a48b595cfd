import type { appsv1, Stored } from '@kubewright/kube';
import { byCreation } from './find-generations.ts';
import {
  availableOf,
  desiredOf,
  isActiveSet,
  maxPodsOf,
  roomOf,
  sizeOf,
  totalSize,
} from './replica-counts.ts';

type Deployment = Stored<appsv1.Deployment>;
type ReplicaSet = Stored<appsv1.ReplicaSet>;

/** A ReplicaSet and the size that it is to have. */
export type Resize = { readonly replicaSet: ReplicaSet; readonly replicas: number };

/** The size that the current ReplicaSet may have beside the others: as much as the surge leaves room for. */
export function rolledSize(
  deployment: Deployment,
  all: readonly appsv1.ReplicaSet[],
  current: appsv1.ReplicaSet,
): number {
  const desired = desiredOf(deployment);
  const size = sizeOf(current);
  if (deployment.spec.strategy?.type !== 'RollingUpdate' || size > desired) return desired;
  const room = maxPodsOf(deployment) - totalSize(all);
  return room <= 0 ? size : size + Math.min(room, desired - size);
}

/**
 * The next step of taking old pods away: no more than leaves the minimum available, also if none of the new pods that
 * are not available yet ever becomes so. Pods that do not work go first.
 */
export function shrinkOld(
  deployment: Deployment,
  current: ReplicaSet,
  old: readonly ReplicaSet[],
): readonly Resize[] {
  const active = old.filter(isActiveSet).sort(byCreation);
  const minimum = desiredOf(deployment) - roomOf(deployment).unavailable;
  const pending = sizeOf(current) - availableOf(current);
  const removable = totalSize([...active, current]) - minimum - pending;
  if (active.length === 0 || removable <= 0) return [];
  const broken = take(active, removable, (replicaSet) => sizeOf(replicaSet) - availableOf(replicaSet));
  const surplus = [...active, current].reduce((sum, one) => sum + remaining(one), 0) - minimum;
  const healthy = take(active, surplus, (replicaSet) => sizeOf(replicaSet) - (broken.get(replicaSet) ?? 0));
  return active.flatMap((replicaSet) => {
    const taken = (broken.get(replicaSet) ?? 0) + (healthy.get(replicaSet) ?? 0);
    return taken === 0 ? [] : [{ replicaSet, replicas: sizeOf(replicaSet) - taken }];
  });
}

/** Available pods that stay: one that was scaled down may still count those that are about to go. */
function remaining(replicaSet: ReplicaSet): number {
  return Math.min(availableOf(replicaSet), sizeOf(replicaSet));
}

/** Takes `count` from the first ones, of each at most what `available` says. */
function take(
  replicaSets: readonly ReplicaSet[],
  count: number,
  available: (replicaSet: ReplicaSet) => number,
): ReadonlyMap<ReplicaSet, number> {
  const taken = new Map<ReplicaSet, number>();
  let left = Math.max(0, count);
  for (const replicaSet of replicaSets) {
    const share = Math.max(0, Math.min(left, available(replicaSet)));
    taken.set(replicaSet, share);
    left -= share;
  }
  return taken;
}
