import type { appsv1 } from '@kubewright/kube';
import type { LivePod, ObservedMigration } from './observed-migration.ts';

type Problem = readonly [reason: string, message: string];

/** The ordinal in a name, as the StatefulSet controller reads it. */
function ordinalOf(pod: string): number {
  return Number(/-(\d+)$/.exec(pod)?.[1] ?? Number.NaN);
}

/** Why a StatefulSet would not keep, or not create, the pod of this name. */
export function statefulSetProblem({ set }: ObservedMigration, pod: string): Problem | undefined {
  if (set === undefined || set.metadata.deletionTimestamp !== undefined)
    return ['StatefulSetGone', 'the StatefulSet is gone, or on its way out'];
  const { replicas = 1, ordinals } = set.spec ?? {};
  const first = ordinals?.start ?? 0;
  const ordinal = ordinalOf(pod);
  const isInRange = ordinal >= first && ordinal < first + replicas;
  return isInRange
    ? undefined
    : [
        'OrdinalOutOfRange',
        `StatefulSet ${set.metadata.name} has ${replicas} replicas, pod ${pod} is none of them`,
      ];
}

/** Why a rollout would replace this pod, or has just changed its template. */
export function rolloutProblem({ set, named }: ObservedMigration): Problem | undefined {
  const { currentRevision, updateRevision } = set?.status ?? {};
  const isKept = set !== undefined && named !== undefined && isOutOfRollout(set, named);
  return currentRevision === updateRevision || isKept ? undefined : inProgress(set);
}

/** The StatefulSet has not seen its own template: nobody knows whether there will be a rollout. */
export function unseenTemplate({ set }: ObservedMigration): Problem | undefined {
  const { observedGeneration = 0 } = set?.status ?? {};
  return observedGeneration < (set?.metadata.generation ?? 0) ? inProgress(set) : undefined;
}

function inProgress(set: ObservedMigration['set']): Problem {
  return ['RolloutInProgress', `StatefulSet ${set?.metadata.name} is being rolled out`];
}

const REVISION = 'controller-revision-hash';

/** Below the partition pods keep the current revision, and are created with it. */
function isOutOfRollout({ spec, status }: appsv1.StatefulSet, { metadata }: LivePod): boolean {
  const { updateStrategy, ordinals } = spec ?? {};
  const { partition = 0 } = updateStrategy?.rollingUpdate ?? {};
  const isBelow = ordinalOf(metadata.name) < (ordinals?.start ?? 0) + partition;
  return isBelow && metadata.labels?.[REVISION] === status?.currentRevision;
}
