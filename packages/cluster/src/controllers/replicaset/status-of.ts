import { type appsv1, type corev1, defined, formatTime, type Stored } from '@kubewright/kube';
import { isActive, isAvailable, isReady, isTerminating } from '../workloads/pod-state.ts';

type Circumstances = {
  readonly now: number;
  /** Why pods could not be made or deleted. */
  readonly failure?: string;
};

/** `status` of a ReplicaSet that owns `pods`. */
export function statusOf(
  replicaSet: Stored<appsv1.ReplicaSet>,
  pods: readonly Stored<corev1.Pod>[],
  { now, failure }: Circumstances,
): appsv1.ReplicaSetStatus {
  const { spec, metadata } = replicaSet;
  const active = pods.filter(isActive);
  const labels = Object.entries(spec.template?.metadata?.labels ?? {});
  const conditions = conditionsOf(replicaSet, active.length, {
    now,
    ...defined({ failure }),
  });
  return {
    replicas: active.length,
    ...positive({
      fullyLabeledReplicas: active.filter((pod) =>
        labels.every(([name, value]) => pod.metadata.labels?.[name] === value),
      ).length,
      readyReplicas: active.filter(isReady).length,
      availableReplicas: active.filter((pod) => isAvailable(pod, spec.minReadySeconds ?? 0, now)).length,
    }),
    terminatingReplicas: pods.filter(isTerminating).length,
    ...positive({ observedGeneration: metadata.generation ?? 0 }),
    ...(conditions.length === 0 ? {} : { conditions }),
  };
}

/** Go leaves zeros out. */
function positive<T extends Readonly<Record<string, number>>>(counts: T): Partial<T> {
  return Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0)) as Partial<T>;
}

const FAILURE = 'ReplicaFailure';

/** A failure is reported once: a second one, of whatever kind, does not replace the first. */
function conditionsOf(
  { spec, status }: Stored<appsv1.ReplicaSet>,
  active: number,
  { now, failure }: Circumstances,
): readonly appsv1.ReplicaSetCondition[] {
  const conditions = status?.conditions ?? [];
  if (failure === undefined) return conditions.filter(({ type }) => type !== FAILURE);
  if (conditions.some(({ type }) => type === FAILURE)) return conditions;
  const reason = active < (spec.replicas ?? 1) ? 'FailedCreate' : 'FailedDelete';
  const lastTransitionTime = formatTime(new Date(now));
  return [...conditions, { type: FAILURE, status: 'True', lastTransitionTime, reason, message: failure }];
}
