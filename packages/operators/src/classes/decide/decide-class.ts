import { formatTime } from '@kubewright/kube';
import type { Decision, EventNote, Refusal } from '@kubewright/runtime';
import { type ClassRuntimeStatus, type DegradedReason, DEGRADED_REASONS } from '../api.ts';
import { type Facts, factsOf } from './facts.ts';
import { type ClassAction, type ObservedClass, titleOf } from './observed-class.ts';
import { reduceStatus } from './reduce-status.ts';
import { secondsSince } from './seconds.ts';
import { backoffAfter, TABLE } from './table.ts';
import type { Verdict } from './verdict.ts';

/** The first row of the table that holds, as a decision. */
export function decideClass(observed: ObservedClass, now: Date): Decision<ClassAction, ClassRuntimeStatus> {
  const facts = factsOf(observed, now);
  const verdict = TABLE.find(({ holds }) => holds(facts))?.verdict?.(facts);
  if (verdict === undefined) return { reason: facts.isDeleting ? 'Deleting' : 'Paused' };
  const { action, requeue } = verdict;
  const status = reduceStatus(facts, verdict);
  const requeueAfter = action === undefined && requeue !== undefined ? { requeueAfter: requeue * 1000 } : {};
  return {
    reason: verdict.reason,
    // The finalizer goes last: nothing is left to report by then.
    ...(action?.type === 'removeFinalizer' ? {} : { status }),
    ...(action === undefined ? {} : { action }),
    events: eventsOf(facts, verdict, status),
    ...requeueAfter,
  };
}

/** What a class's status says of an apply that the server rejects, and when it is tried again. */
export function decideRefused(
  observed: ObservedClass,
  why: Refusal,
  now: Date,
): Decision<never, ClassRuntimeStatus> {
  const facts = factsOf(observed, now);
  const reason = refusedReason(why);
  const message = refusedMessage(reason, why);
  const verdict: Verdict = { phase: 'degraded', reason, message };
  const status = reduceStatus(facts, verdict);
  const { lifecycle } = status;
  const refused = {
    reason,
    message,
    generation: observed.runtime.metadata.generation ?? 0,
    hash: facts.rendering?.hash ?? '',
    at: formatTime(now),
  };
  return {
    reason,
    status: lifecycle === undefined ? status : { ...status, lifecycle: { ...lifecycle, refused } },
    events: eventsOf(facts, verdict, status),
    requeueAfter: backoffAfter(reason, secondsSince(lifecycle?.since, now)) * 1000,
  };
}

function refusedReason({ reason, code }: Refusal): DegradedReason {
  const known = DEGRADED_REASONS.find((each) => each === reason);
  return known ?? (code === 403 ? 'ApplyForbidden' : 'ApplyInvalid');
}

function refusedMessage(reason: DegradedReason, { message }: Refusal): string {
  if (reason === 'ApplyInvalid') return `Validation failed: ${message}.`;
  return message;
}

const REJECTIONS: readonly string[] = ['ApplyInvalid', 'NotOwned', 'Conflict', 'ApplyForbidden'];
const QUIET: readonly string[] = ['Pending', 'Applying'];
const WARNINGS: readonly string[] = [...DEGRADED_REASONS, 'ReadinessLost'];

/** One on each change of phase or reason, one of what is deleted, none when nothing changed. */
function eventsOf(facts: Facts, verdict: Verdict, status: ClassRuntimeStatus): readonly EventNote[] {
  const { phase, lifecycle } = facts;
  const { action } = verdict;
  const isRecordedNow = status.lifecycle?.applied_hash !== lifecycle.applied_hash;
  return [
    ...(isRecordedNow ? [note('Applied', 'all objects are applied')] : []),
    ...(isNews(facts, verdict) ? [note(eventReason(verdict), verdict.message)] : []),
    ...(action?.type === 'delete' && phase !== 'deleting' && !facts.isDeleting
      ? [note('OrphanDeleted', `deleted ${titleOf(action.object)}`)]
      : []),
    ...(action?.type === 'removeFinalizer' ? [note('Deleted', 'all children are gone')] : []),
  ];
}

function isNews({ phase, lifecycle, status }: Facts, verdict: Verdict): boolean {
  if (QUIET.includes(verdict.reason) || verdict.action?.type === 'removeFinalizer') return false;
  if (phase !== verdict.phase || lifecycle.reason !== verdict.reason) return true;
  return REJECTIONS.includes(verdict.reason) && status.message !== verdict.message;
}

function eventReason({ phase, reason }: Verdict): string {
  return phase === 'available' ? 'Available' : reason;
}

function note(reason: string, message: string): EventNote {
  return { type: WARNINGS.includes(reason) ? 'Warning' : 'Normal', reason, message };
}
