import { ANNOTATIONS } from '../api.ts';
import { hashesOf, userHash } from '../annotations/user-hash.ts';
import type { AdmissionDecision } from './decide-admission.ts';
import type { Review, World } from './review.ts';

/**
 * Reasons that no later state of a parent takes away: it is not judged at all, its deletion is not undone, and one that
 * the cache lacks has been looked for on the server.
 */
const LASTING: ReadonlySet<AdmissionDecision['reason']> = new Set([
  'Metadata',
  'Status',
  'NoParent',
  'ParentDeleting',
]);

/**
 * Whether a decision that rests on a cache must not be given before the server has confirmed it. A cache may show a
 * parent as it was before this process began, or before another replica wrote to it: what is denied may have been asked
 * for since, and what is allowed as expected or approved may be neither any more. Nothing on the child proves that a
 * cached parent is recent: a child need not change with each generation, and others' writes begin its trace again.
 */
export function needsConfirmation(
  { reason }: AdmissionDecision,
  { operation, old, user }: Review,
  { parent }: World,
): boolean {
  if (LASTING.has(reason)) return false;
  if (reason !== 'OtherActor') return true;
  // With a child goes what it remembers: its parent must not bear an approval any more that it has used.
  if (operation === 'DELETE' && hashesOf(old, ANNOTATIONS.usedApprovals).length > 0) return true;
  // Somebody else is who neither wrote the child before nor stands in for a controller that nobody knows yet.
  const isGuess = hashesOf(parent, ANNOTATIONS.controllers).length === 0;
  return isGuess || hashesOf(old, ANNOTATIONS.updaters).includes(userHash(user));
}
