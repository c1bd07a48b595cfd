import { isChanged } from '../decide/changed-fields.ts';
import type { Facts, Review } from '../decide/review.ts';

const GARBAGE_COLLECTOR = 'system:serviceaccount:kube-system:generic-garbage-collector';

/**
 * Whether a write only follows from a deletion: of the namespace, or of an owner that nobody can read, whose dependents
 * the garbage collector deletes, or takes from it.
 */
export function isCleanup({ operation, user, old, object }: Review, { isEnding }: Facts): boolean {
  if (isEnding) return true;
  const isOrphaning = operation === 'UPDATE' && old !== undefined && !isChanged(old, object);
  return user === GARBAGE_COLLECTOR && (operation === 'DELETE' || isOrphaning);
}
