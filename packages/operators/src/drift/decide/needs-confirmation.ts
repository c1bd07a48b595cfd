import { ANNOTATIONS } from '../api.ts';
import { hashesOf, userHash } from '../annotations/user-hash.ts';
import type { AdmissionDecision } from './decide-admission.ts';
import type { Review, Facts } from './review.ts';

/**
 * Reasons that no later state of a parent can change: there is nothing to check, its deletion is final, the write itself
 * is too long, or a parent missing from the cache has already been read from the server.
 */
const LASTING: ReadonlySet<AdmissionDecision['reason']> = new Set([
  'Metadata',
  'Status',
  'TooMany',
  'NoParent',
  'NewRevision',
  'Correction',
  'ParentDeleting',
]);

/** What allows a change because of the state of its parent. */
const FROM_STATE: ReadonlySet<AdmissionDecision['reason']> = new Set([
  'Initializing',
  'Reconciling',
  'UnknownController',
  'HistoryCleanup',
  'Due',
  'Announced',
  'Repeated',
  'FromTemplate',
  'Finished',
  'Temporary',
  'ByProfile',
]);

/**
 * Whether the server must confirm a decision that is based on a cache. A cache may be stale: since then the parent may
 * have changed, which allows what would be denied, or an approval may have been used by another replica. Nothing on the
 * child proves that a cached parent is recent: a child need not change with each generation, and writes by other users
 * reset its trace. So what the cached state allows is confirmed too, unless `isRecent`: the server has just reported it.
 */
export function needsConfirmation(
  { reason }: AdmissionDecision,
  { operation, old, user }: Review,
  { parent }: Facts,
  isRecent: boolean,
): boolean {
  if (LASTING.has(reason)) return false;
  if (reason !== 'OtherActor' && !FROM_STATE.has(reason)) return true;
  // A deleted child takes its record of used approvals with it: the parent must not carry a used one any more.
  if (operation === 'DELETE' && hashesOf(old, ANNOTATIONS.usedApprovals).length > 0) return true;
  if (isRecent || reason !== 'OtherActor') return !isRecent;
  // "other" is certain only for a user who has not written the child, and where the controller is known.
  const isGuess = hashesOf(parent, ANNOTATIONS.controllers).length === 0;
  return isGuess || hashesOf(old, ANNOTATIONS.updaters).includes(userHash(user));
}
