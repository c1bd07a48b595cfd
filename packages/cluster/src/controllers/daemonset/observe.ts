import { appsv1, corev1, type Stored } from '@kubewright/kube';
import type { Cache, Request } from '@kubewright/runtime';
import { candidatesFor } from '../workloads/watch-controlled.ts';

export type Seen = {
  readonly set: Stored<appsv1.DaemonSet>;
  /** Its own and the orphans of its namespace. */
  readonly pods: readonly Stored<corev1.Pod>[];
  readonly revisions: readonly Stored<appsv1.ControllerRevision>[];
  readonly nodes: readonly Stored<corev1.Node>[];
};

export function observe(cache: Cache, request: Request): Seen | undefined {
  const set = cache.get(appsv1.daemonsets, request);
  if (set === undefined) return undefined;
  return {
    set,
    pods: candidatesFor(cache, corev1.pods, set),
    revisions: candidatesFor(cache, appsv1.controllerrevisions, set),
    nodes: cache.list(corev1.nodes),
  };
}
