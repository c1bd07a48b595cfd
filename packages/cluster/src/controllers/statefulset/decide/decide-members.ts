import { type appsv1, controllerOf, type corev1, type Stored } from '@kubewright/kube';
import { matchesLabels } from '@kubewright/kube/selectors';
import { workloadSelector } from '../../workloads/watch-controlled.ts';
import { type ClaimAction, type Claims, decideClaims } from '../../workloads/decide-claims.ts';
import { placeOf } from './ordinal-of.ts';

/** Which pods are a set's: by its selector and by their names. */
export function decideMembers(
  set: Stored<appsv1.StatefulSet>,
  candidates: readonly Stored<corev1.Pod>[],
): Claims<corev1.Pod> {
  const selector = workloadSelector(set);
  return decideClaims(
    set,
    candidates,
    (pod) => matchesLabels(selector, pod.metadata.labels) && placeOf(pod).set === set.metadata.name,
  );
}

/** Orphans of a history are taken in. */
export function adoptRevisions(
  { metadata }: Stored<appsv1.StatefulSet>,
  revisions: readonly Stored<appsv1.ControllerRevision>[],
): readonly ClaimAction<appsv1.ControllerRevision>[] {
  if (metadata.deletionTimestamp !== undefined) return [];
  return revisions
    .filter((revision) => controllerOf(revision) === undefined)
    .map((object) => ({ type: 'adopt', object }));
}
