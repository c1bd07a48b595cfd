import { modeOf } from '../annotations/approvals.ts';
import { traceOf } from '../annotations/trace.ts';
import type { AdmissionDecision } from './decide-admission.ts';
import type { Review, World } from './review.ts';

/**
 * Whether a decision that rests on a cache must not be given before the server has confirmed it. What is denied may have
 * been asked for a moment ago. What is expected once more, though this child has followed this generation of its
 * parent before, may be over; and an approval for one write may have been taken back.
 */
export function needsConfirmation(
  { allowed, reason, approval }: AdmissionDecision,
  { old }: Review,
  { parent }: World,
): boolean {
  if (!allowed) return true;
  if (approval !== undefined) return modeOf(approval) === 'once';
  if (parent === undefined || (reason !== 'Reconciling' && reason !== 'Initializing')) return false;
  const { kind, apiVersion, metadata } = parent;
  return traceOf(old).some(
    (hop) =>
      hop.kind === kind &&
      hop.apiVersion === apiVersion &&
      hop.name === metadata.name &&
      hop.generation === (metadata.generation ?? 0),
  );
}
