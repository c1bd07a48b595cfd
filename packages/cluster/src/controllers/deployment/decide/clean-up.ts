import type { appsv1, Stored } from '@kubewright/kube';
import { UNLIMITED } from '../constants.ts';
import type { DeploymentAction } from './deployment-decision.ts';
import { byCreation } from './find-generations.ts';
import { sizeOf } from './replica-counts.ts';
import { revisionOf } from './next-revision.ts';

/** Deletes the oldest of the old ReplicaSets beyond the history that is kept, where they are empty. */
export function cleanUp(
  { spec }: Stored<appsv1.Deployment>,
  old: readonly Stored<appsv1.ReplicaSet>[],
): readonly DeploymentAction[] {
  const limit = spec.revisionHistoryLimit;
  if (limit === undefined || limit === UNLIMITED) return [];
  const alive = old.filter(({ metadata }) => metadata.deletionTimestamp === undefined).sort(byRevision);
  return alive
    .slice(0, Math.max(0, alive.length - limit))
    .filter(isEmpty)
    .map((replicaSet) => ({ type: 'delete', replicaSet }));
}

function isEmpty(replicaSet: Stored<appsv1.ReplicaSet>): boolean {
  const { metadata, status } = replicaSet;
  const seen = (metadata.generation ?? 0) <= (status?.observedGeneration ?? 0);
  return sizeOf(replicaSet) === 0 && (status?.replicas ?? 0) === 0 && seen;
}

function byRevision(a: Stored<appsv1.ReplicaSet>, b: Stored<appsv1.ReplicaSet>): number {
  const [revisionA, revisionB] = [revisionOf(a), revisionOf(b)];
  if (revisionA === undefined || revisionB === undefined || revisionA === revisionB) return byCreation(a, b);
  return revisionA < revisionB ? -1 : 1;
}
