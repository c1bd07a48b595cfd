import { defined, type appsv1, type corev1, type Stored } from '@kubewright/kube';
import { isAvailable, isReady } from '../../workloads/pod-state.ts';
import { isUpdated } from './daemon-pod.ts';
import type { Observed } from './daemon-set-decision.ts';
import type { NodeFit } from './node-fit.ts';
import { eldestFirst, type PodsByNode } from './pods-by-node.ts';

/** Of each node the eldest pod counts. `now` is in milliseconds. */
export function statusOf(
  { set, nodes, hash, collisions }: Observed,
  {
    there,
    fit,
    now,
  }: {
    readonly there: PodsByNode;
    readonly fit: (node: Stored<corev1.Node>) => NodeFit;
    readonly now: number;
  },
): appsv1.DaemonSetStatus {
  const places = nodes.map((node) => {
    const [eldest] = eldestFirst(there.get(node.metadata.name) ?? []);
    return { run: fit(node).run, eldest };
  });
  const wanted = places.filter(({ run }) => run);
  const scheduled = wanted.flatMap(({ eldest }) => eldest ?? []);
  const ready = scheduled.filter(isReady);
  const available = ready.filter((pod) => isAvailable(pod, set.spec.minReadySeconds ?? 0, now));
  return {
    ...set.status,
    ...defined({ observedGeneration: set.metadata.generation }),
    ...(collisions === 0 ? {} : { collisionCount: collisions }),
    desiredNumberScheduled: wanted.length,
    currentNumberScheduled: scheduled.length,
    numberMisscheduled: places.filter(({ run, eldest }) => !run && eldest !== undefined).length,
    numberReady: ready.length,
    updatedNumberScheduled: scheduled.filter((pod) => isUpdated(set, hash, pod)).length,
    numberAvailable: available.length,
    numberUnavailable: wanted.length - available.length,
  };
}
