import type { Counted } from '../decide/braked.ts';
import { relationOf } from '../decide/controller-identity.ts';
import type { AdmissionDecision } from '../decide/decide-admission.ts';
import type { Facts, Review } from '../decide/review.ts';

const COUNTED_DELETIONS = new Set<AdmissionDecision['reason']>([
  'Drift',
  'Reconciling',
  'Initializing',
  'UnknownController',
]);

/**
 * As what a change counts: drift, denied or not; a deletion by the parent's controller that goes through. What somebody
 * approved, and what goes with its parent, does not count.
 */
export function countedAs(
  review: Review,
  { parent }: Facts,
  decision: AdmissionDecision,
): readonly Counted[] {
  if (parent === undefined) return [];
  const isDrift = decision.reason === 'Drift';
  const isDeletion =
    review.operation === 'DELETE' &&
    decision.allowed &&
    COUNTED_DELETIONS.has(decision.reason) &&
    relationOf(review, parent) !== 'other';
  return [...(isDrift ? (['drifts'] as const) : []), ...(isDeletion ? (['deletes'] as const) : [])];
}
