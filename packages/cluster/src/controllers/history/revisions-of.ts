import { appsv1, compareText, type Stored } from '@kubewright/kube';
import { matchesLabels } from '@kubewright/kube/selectors';
import type { Cache } from '@kubewright/runtime';
import { candidatesFor, type Selecting, workloadSelector } from '../workloads/watch-controlled.ts';

/**
 * The history of `owner`, oldest first: the revisions that it selects, its own and orphans. The kind must have been
 * indexed by controller.
 */
export function revisionsOf(
  cache: Cache,
  owner: Stored<Selecting>,
): readonly Stored<appsv1.ControllerRevision>[] {
  const selector = workloadSelector(owner);
  return candidatesFor(cache, appsv1.controllerrevisions, owner)
    .filter(({ metadata }) => matchesLabels(selector, metadata.labels))
    .sort(byRevision);
}

/** Oldest first. */
export function byRevision(
  a: Stored<appsv1.ControllerRevision>,
  b: Stored<appsv1.ControllerRevision>,
): number {
  const made = ({ metadata }: Stored<appsv1.ControllerRevision>): string => metadata.creationTimestamp ?? '';
  return (
    a.revision - b.revision || compareText(made(a), made(b)) || compareText(a.metadata.name, b.metadata.name)
  );
}
