import { controllerOf, type KubeObject } from '@kubewright/kube';
import { ANNOTATIONS } from '../api.ts';
import { traceOf } from '../annotations/trace-of.ts';
import { hashesOf, userHash } from '../annotations/user-hash.ts';
import type { AdmissionDecision } from './decide-admission.ts';
import { relationOf } from './controller-identity.ts';
import type { Facts, Review } from './review.ts';
import { type AcceptedContent, GONE } from './accepted-content.ts';
import { entryOf } from './content-of.ts';

/** What is right for the spec that the parent has. Drift that is let through, or approved, is none of it. */
export const ACCEPTED: ReadonlySet<AdmissionDecision['reason']> = new Set([
  'Initializing',
  'Reconciling',
  'Repeated',
  'Due',
  'Announced',
  'FromTemplate',
  'ByProfile',
]);

/**
 * The content that a decision accepts; undefined: none. A child that somebody else deletes was right until then, if its
 * parent's controller was the last to change it, and nobody had to approve that.
 */
export function acceptedBy(
  review: Review,
  { parent }: Facts,
  { reason, allowed }: AdmissionDecision,
): AcceptedContent | undefined {
  if (parent === undefined || !allowed || review.isStatus || review.isScale === true) return undefined;
  return review.operation === 'DELETE'
    ? acceptedByDeletion(review.object, parent, reason)
    : acceptedByWrite(review, parent, reason);
}

type Reason = AdmissionDecision['reason'];

function acceptedByWrite(review: Review, parent: KubeObject, reason: Reason): AcceptedContent | undefined {
  const isAccepted = ACCEPTED.has(reason) && relationOf(review, parent) !== 'other';
  return isAccepted ? entryOf(review.object, parent) : undefined;
}

function acceptedByDeletion(
  child: KubeObject,
  parent: KubeObject,
  reason: Reason,
): AcceptedContent | undefined {
  if (reason === 'Approved') return { ...entryOf(child, parent), content: GONE };
  return reason === 'OtherActor' && isByController(child, parent) ? entryOf(child, parent) : undefined;
}

function isByController(child: KubeObject, parent: KubeObject): boolean {
  const { user, approval } = traceOf(child).at(-1) ?? {};
  const isOwned = controllerOf(child)?.uid === parent.metadata.uid;
  if (!isOwned || user === undefined || approval !== undefined) return false;
  return hashesOf(parent, ANNOTATIONS.controllers).includes(userHash(user));
}
