import { jsonEqual } from '@kubewright/kube';
import { getPath } from '@kubewright/kube/fields';
import type { Claim, OwnClaim } from '../read-managed-fields.ts';
import type { LeftField, PlanInput } from './migration-plan.ts';
import type { Removal } from './removals-of.ts';

/**
 * Removals that nobody at our apiVersion holds, and that an apply leaves as they are although we own them: entries at other
 * versions do, under paths of their own. To translate those is the server's secret, so that they are only reported.
 */
export function heldElsewhere(
  removals: readonly Removal[],
  own: OwnClaim,
  claims: readonly Claim[],
  { live, dryRun, apiVersion }: PlanInput,
): readonly LeftField[] {
  const elsewhere = claims.filter(({ owner }) => owner.subresource === '' && owner.apiVersion !== apiVersion);
  if (dryRun === undefined || elsewhere.length === 0) return [];
  const isHeld = ({ path }: Removal): boolean => {
    const isOurs = own.set.has(path) && !claims.some((claim) => claim !== own && claim.set.has(path));
    const [before, after] = [getPath(live, path), getPath(dryRun, path)];
    return isOurs && before !== undefined && after !== undefined && jsonEqual(before, after);
  };
  const owners = elsewhere.map(({ owner }) => owner);
  return removals.filter(isHeld).map(({ path }) => ({ path, owners, why: 'OtherVersion' }));
}
