import { formatTime } from '@kubewright/kube';
import type { ClassRuntime, Enforcement, ResourceEnforcement } from '../api.ts';
import { secondsSince } from './seconds-since.ts';
import type { ObservedClass } from './observed-class.ts';

/** When a workload was scaled, and the generation of the class whose template it had then. */
export type Scale = { readonly applied_at: string; readonly applied_generation: number | undefined };

export function scaledNow({ status }: ClassRuntime, now: Date): Scale {
  return { applied_at: formatTime(now), applied_generation: status?.lifecycle?.applied_generation };
}

/**
 * Whether the last change of a function's workload is that we have scaled it, not longer ago than a rollout may take.
 * Generations decide which change is the last, as the clock may have been set back.
 */
export function wasScaled(workload: string | undefined, observed: ObservedClass, now: Date): boolean {
  const { runtime, settings } = observed;
  const { applied_generation: last, applied_hash } = runtime.status?.lifecycle ?? {};
  // Another template was applied since, or is about to be.
  if ('error' in observed.rendered || observed.rendered.hash !== applied_hash) return false;
  return enforcementsOf(workload, observed).some(({ applying, applied_at, applied_generation }) => {
    if (applying !== undefined) return true;
    const isLast = applied_at !== undefined && applied_generation === last;
    return isLast && secondsSince(applied_at, now) < settings.progressTimeout;
  });
}

function enforcementsOf(
  workload: string | undefined,
  { runtime: { status }, rendered }: ObservedClass,
): readonly (Enforcement | ResourceEnforcement)[] {
  if ('error' in rendered) return [];
  const key = rendered.functions.find((each) => each.workload === workload)?.key;
  const detail = status?.nfr_details?.find(({ function_key }) => function_key === key);
  const all = [detail?.enforcement, ...(detail?.resources ?? []).map(({ enforcement }) => enforcement)];
  return all.filter((each) => each !== undefined);
}
