import { formatTime } from '@kubewright/kube';
import type { Enforcement, ResourceEnforcement } from '../api.ts';
import { secondsSince } from './seconds-since.ts';
import type { ObservedClass } from './observed-class.ts';

/** Whether the last change of a function's workload is that we have scaled it, not longer ago than a rollout may take. */
export function wasScaled(workload: string | undefined, observed: ObservedClass, now: Date): boolean {
  const { runtime, settings } = observed;
  const { applied_at: appliedAt = '', applied_hash } = runtime.status?.lifecycle ?? {};
  // Another template was applied since, or is about to be.
  if ('error' in observed.rendered || observed.rendered.hash !== applied_hash) return false;
  return enforcementsOf(workload, observed).some(({ applying, applied_at }) => {
    if (applying !== undefined) return true;
    return isLast(applied_at, appliedAt, now) && secondsSince(applied_at, now) < settings.progressTimeout;
  });
}

/** An apply in the future was before the clock was set back: a scale that is not in the future came later. */
function isLast(scaledAt: string | undefined, appliedAt: string, now: Date): boolean {
  if (scaledAt === undefined) return false;
  const today = formatTime(now);
  return scaledAt > appliedAt || (appliedAt > today && scaledAt <= today);
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
