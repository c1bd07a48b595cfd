import type { Facts, Review } from '../decide/review.ts';

const GARBAGE_COLLECTOR = 'system:serviceaccount:kube-system:generic-garbage-collector';

/** Whether a deletion only follows from another: of the namespace, or of an owner that nobody can read. */
export function isCleanup({ operation, user }: Review, { isEnding }: Facts): boolean {
  return isEnding || (operation === 'DELETE' && user === GARBAGE_COLLECTOR);
}
