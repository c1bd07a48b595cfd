import type { ObservedMigration } from './observed-migration.ts';

/** The ordinal in a name, as the StatefulSet controller reads it. */
function ordinalOf(pod: string): number {
  return Number(/-(\d+)$/.exec(pod)?.[1] ?? Number.NaN);
}

/** Why a StatefulSet would not keep, or not create, the pod of this name. */
export function statefulSetProblem(
  { set }: ObservedMigration,
  pod: string,
): readonly [string, string] | undefined {
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
