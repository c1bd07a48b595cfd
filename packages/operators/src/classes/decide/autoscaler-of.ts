import { ANNOTATIONS, ENFORCER } from '../api.ts';
import { managersOf } from '../managers-of.ts';
import type { LiveAutoscaler, ObservedClass } from './observed-class.ts';

/** The autoscaler of a Deployment, found by what it scales, whatever its name. Of several the first by name. */
export function autoscalerOf(
  { autoscalers = [] }: ObservedClass,
  workload: string,
): LiveAutoscaler | undefined {
  return autoscalers.find(
    ({ spec: { scaleTargetRef } }) =>
      scaleTargetRef.kind === 'Deployment' && scaleTargetRef.name === workload,
  );
}

/** The minimum that its owner wants: once we have raised it, it is in an annotation. */
export function ownMinimum(autoscaler: LiveAutoscaler): number {
  const noted = Number(autoscaler.metadata.annotations?.[ANNOTATIONS.ownMinimum] ?? Number.NaN);
  return isRaised(autoscaler) && Number.isInteger(noted) ? noted : minimumOf(autoscaler);
}

export function minimumOf({ spec }: LiveAutoscaler): number {
  return spec.minReplicas ?? 1;
}

/** We have raised its minimum, and nobody has changed that since. */
export function isRaised(autoscaler: LiveAutoscaler): boolean {
  const managers = managersOf(autoscaler, 'minReplicas');
  return (
    hasOwnMinimum(autoscaler) && managers.length > 0 && managers.every((manager) => manager === ENFORCER)
  );
}

/** We have raised its minimum once: a second time it is not taken from whoever set it since. */
export function hasOwnMinimum({ metadata }: LiveAutoscaler): boolean {
  return metadata.annotations?.[ANNOTATIONS.ownMinimum] !== undefined;
}
