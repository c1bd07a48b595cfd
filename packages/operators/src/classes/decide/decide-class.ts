import { formatTime } from '@kubewright/kube';
import type { Decision, EventNote, Refusal } from '@kubewright/runtime';
import {
  type ClassRuntime,
  type ClassRuntimeStatus,
  type DegradedReason,
  type Enforcement,
  type ResourceEnforcement,
  DEGRADED_REASONS,
  type Reason,
} from '../api.ts';
import { decideNfr } from './decide-nfr.ts';
import { deleting } from './deleting.ts';
import { type Facts, factsOf } from './facts.ts';
import {
  type ClassAction,
  type ObservedClass,
  type ResizeAction,
  type ScaleAction,
  titleOf,
} from './observed-class.ts';
import { pausedStatus } from './paused-condition.ts';
import { reduceStatus } from './reduce-status.ts';
import { BACKOFF, secondsSince } from './seconds-since.ts';
import { backoffAfter } from './refusal-of.ts';
import { type Row, TABLE } from './table.ts';
import type { Verdict } from './verdict.ts';
import { writtenLater } from './written-later.ts';

/** The row of the table that holds. */
export function rowOf(facts: Facts): Row | undefined {
  return TABLE.find(({ holds }) => holds(facts));
}

/** The decision of the first row of the table that holds; if the row allows, recommendations are enforced. */
export function decideClass(observed: ObservedClass, now: Date): Decision<ClassAction, ClassRuntimeStatus> {
  const facts = factsOf(observed, now);
  const verdict = rowOf(facts)?.verdict?.(facts);
  if (verdict === undefined) return { reason: 'Paused', status: pausedStatus(facts) };
  return verdict.reason === 'ObservationFailed' && !facts.isDeleting
    ? unobserved(facts, verdict)
    : decided(facts, verdict);
}

function decided(facts: Facts, verdict: Verdict): Decision<ClassAction, ClassRuntimeStatus> {
  const nfr = decideNfr(facts, verdict);
  const action = verdict.action ?? nfr.action;
  const deadlines = [verdict.requeue, nfr.requeue, fallbackRequeue(facts), nextAnomaly(facts)];
  const later = action === undefined && nfr.events.length === 0 ? writtenLater(facts, verdict) : undefined;
  if (later !== undefined) return { reason: verdict.reason, ...dueIn(later, ...deadlines) };
  const status = reduceStatus(facts, verdict, nfr);
  return {
    reason: verdict.reason,
    // The finalizer is removed last: there is no status to report after that.
    ...(action?.type === 'removeFinalizer' ? {} : { status }),
    ...(action === undefined ? dueIn(...deadlines) : { action }),
    events: [...eventsOf(facts, verdict, status), ...nfr.events],
  };
}

/** What is visible already, and counts if it lasts, is looked at when it does. */
function nextAnomaly({ isDeleting, coming: [next] }: Facts): number | undefined {
  return isDeleting || next === undefined ? undefined : Math.max(1, next.wait);
}

/** Nothing else reports that somebody has installed Knative. */
function fallbackRequeue({ rendering }: Facts): number | undefined {
  return rendering?.selection.reason === 'Fallback' ? RETRY_TEMPLATE : undefined;
}

/** The message says so, and all the rest stays: nothing is known that could change it. */
function unobserved(
  { status, now }: Facts,
  { phase, reason, message, requeue }: Verdict,
): Decision<never, ClassRuntimeStatus> {
  if (status.message === message) return { reason, status, ...dueIn(requeue) };
  const next = { ...status, phase, message, last_updated: formatTime(now) };
  return { reason, status: next, events: [note(reason, message)], ...dueIn(requeue) };
}

/** Requeues at the next deadline. */
function dueIn(...deadlines: readonly (number | undefined)[]): { readonly requeueAfter?: number } {
  const due = deadlines.filter((seconds) => seconds !== undefined);
  return due.length === 0 ? {} : { requeueAfter: Math.min(...due) * 1000 };
}

/** Seconds until a template that is not there is looked for again. */
const RETRY_TEMPLATE = 60;
/** How often an apply may fail for a passing reason, and the seconds between two tries. */
const [TRIES, RETRY] = [5, 5];
/** Seconds until an autoscaler is tried to be released again. */
const RETRY_RELEASE = 60;

/** The status after a write that the server rejected, and the delay of the retry. */
export function decideRefused(
  observed: ObservedClass,
  why: Refusal,
  now: Date,
): Decision<never, ClassRuntimeStatus> {
  const { action, status = {} } = decideClass(observed, now);
  if (action?.type === 'release') return { reason: why.reason, requeueAfter: RETRY_RELEASE * 1000 };
  if (action?.type === 'unsize') return { reason: why.reason, requeueAfter: RETRY_RELEASE * 1000 };
  return action?.type === 'scale' || action?.type === 'resize'
    ? enforcementRefused({ ...observed, runtime: { ...observed.runtime, status } }, action, why, now)
    : applyRefused(observed, why, now);
}

function applyRefused(observed: ObservedClass, why: Refusal, now: Date): Decision<never, ClassRuntimeStatus> {
  const facts = factsOf(observed, now);
  if (facts.isDeleting) return waits(facts, why, 'deleting', deleting(facts).reason);
  if (!facts.hasFinalizer) return waits(facts, why, 'pending', 'Pending');
  const later = why.reason === 'ApplyFailed' ? triedLater(facts, why) : undefined;
  if (later !== undefined) return later;
  const reason = refusedReason(why);
  const message = refusedMessage(reason, why);
  const verdict: Verdict = { phase: 'degraded', reason, message };
  const status = reduceStatus(facts, verdict, decideNfr(facts, verdict));
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

/**
 * An apply that a retry may fix, because the server could not process it. Counted in the status: `undefined` once it was
 * tried often enough to be reported. A degraded class stays so for its old reason.
 */
function triedLater(
  facts: Facts,
  { message: text }: Refusal,
): Decision<never, ClassRuntimeStatus> | undefined {
  const { phase, lifecycle, toApply, inPhase } = facts;
  if (phase === 'degraded' || toApply === undefined)
    return { reason: 'ApplyFailed', requeueAfter: BACKOFF.degraded(inPhase) * 1000 };
  const tries = (lifecycle.apply_tries ?? 0) + 1;
  if (tries >= TRIES) return undefined;
  const message = `applying the workload: ${text}`;
  const verdict: Verdict = { phase: 'applying', reason: 'Applying', message };
  const status = reduceStatus(facts, verdict, decideNfr(facts, verdict));
  const counted = status.lifecycle && { lifecycle: { ...status.lifecycle, apply_tries: tries } };
  return { reason: 'Applying', status: { ...status, message, ...counted }, requeueAfter: RETRY * 1000 };
}

/**
 * The status names what is in the way, and it is tried again: no phase follows `deleting`, and none but `pending` comes
 * before the finalizer. A class that loses it later keeps its phase.
 */
function waits(
  facts: Facts,
  { message }: Refusal,
  first: 'deleting' | 'pending',
  why: Reason,
): Decision<never, ClassRuntimeStatus> {
  const isFirst = first === 'deleting' || facts.phase === undefined;
  const phase = isFirst ? first : facts.phase;
  const reason = isFirst ? why : ((facts.lifecycle.reason ?? why) as Reason);
  const verdict: Verdict = { phase, reason, message };
  const status = reduceStatus(facts, verdict, decideNfr(facts, verdict));
  return {
    reason: verdict.reason,
    status,
    events: eventsOf(facts, verdict, status),
    requeueAfter: BACKOFF[first === 'deleting' ? 'deleting' : 'degraded'](facts.inPhase) * 1000,
  };
}

/** Records the failure; the table decides the phase, and the rest follows in the next reconcile. */
function enforcementRefused(
  observed: ObservedClass,
  action: ScaleAction | ResizeAction,
  why: Refusal,
  now: Date,
): Decision<never, ClassRuntimeStatus> {
  const runtime = withFailure(observed.runtime, action, why, now);
  const { action: next, events = [], requeueAfter, ...decision } = decideClass({ ...observed, runtime }, now);
  const failed = {
    type: 'Warning',
    reason: 'NFRApplyFailed',
    message: `${why.message} (${action.function_key})`,
  } as const;
  return {
    ...decision,
    events: [failed, ...events],
    requeueAfter: next === undefined ? (requeueAfter ?? BACKOFF.degraded(0) * 1000) : 1000,
  };
}

function withFailure(
  runtime: ClassRuntime,
  action: ScaleAction | ResizeAction,
  why: Refusal,
  now: Date,
): ClassRuntime {
  const failed: FailureOf = { ...why, generation: runtime.metadata.generation ?? 0, at: formatTime(now) };
  const nfr_details = (runtime.status?.nfr_details ?? []).map((detail) => {
    if (detail.function_key !== action.function_key) return detail;
    if (action.type === 'scale') return { ...detail, ...failing(detail.enforcement, failed) };
    const resources = (detail.resources ?? []).map((each) =>
      each.dimension === action.resource ? { ...each, ...failing(each.enforcement, failed) } : each,
    );
    return { ...detail, resources };
  });
  return { ...runtime, status: { ...runtime.status, nfr_details } };
}

type FailureOf = Pick<Refusal, 'reason' | 'message'> & { readonly generation: number; readonly at: string };

/** Counts failures of one target. */
function failing<E extends Enforcement | ResourceEnforcement>(
  enforcement: E | undefined,
  { reason, message, generation, at }: FailureOf,
): { readonly enforcement?: Omit<E, 'applying'> } {
  if (enforcement === undefined) return {};
  const { applying: _none, ...rest } = enforcement;
  const { failure: before, target } = enforcement;
  const attempts = before?.generation === generation && before.target === target ? before.attempts + 1 : 1;
  return { enforcement: { ...rest, failure: { reason, message, at, attempts, target, generation } } };
}

function refusedReason({ reason, code }: Refusal): DegradedReason {
  const known = DEGRADED_REASONS.find((each) => each === reason);
  return known ?? (code === 403 ? 'ApplyForbidden' : 'ApplyInvalid');
}

function refusedMessage(reason: DegradedReason, { message }: Refusal): string {
  if (reason === 'ApplyInvalid') return `Validation failed: ${message}.`;
  return message;
}

const REJECTIONS: readonly string[] = [
  'ApplyInvalid',
  'NotOwned',
  'Conflict',
  'ApplyForbidden',
  'ApplyFailed',
];
const QUIET: readonly string[] = ['Pending', 'Applying'];
const WARNINGS: readonly string[] = [
  ...DEGRADED_REASONS,
  'ReadinessLost',
  'ObservationFailed',
  'DeletionStuck',
];

/** One Event per change of phase or reason, one per deleted orphan, none when nothing changed. */
function eventsOf(facts: Facts, verdict: Verdict, status: ClassRuntimeStatus): readonly EventNote[] {
  const { phase, lifecycle } = facts;
  const { action } = verdict;
  const isRecordedNow = status.lifecycle?.applied_hash !== lifecycle.applied_hash;
  return [
    ...fallbackNotes(facts, status),
    ...(isRecordedNow ? [note('Applied', 'all objects are applied')] : []),
    ...(isNews(facts, verdict) ? [note(eventReason(verdict), verdict.message)] : []),
    ...(action?.type === 'delete' && phase !== 'deleting' && !facts.isDeleting
      ? [note('OrphanDeleted', `deleted ${titleOf(action.object)}`)]
      : []),
    ...(action?.type === 'removeFinalizer' ? [note('Deleted', verdict.message)] : []),
  ];
}

function fallbackNotes(facts: Facts, { template }: ClassRuntimeStatus): readonly EventNote[] {
  if (template?.reason !== 'Fallback' || facts.status.template?.reason === 'Fallback') return [];
  return [note('TemplateFallback', `${template.message ?? ''}: ${template.selected} is used`)];
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
