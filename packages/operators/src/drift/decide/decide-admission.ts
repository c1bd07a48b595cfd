import { defined, type KubeObject, type OwnerReference } from '@kubewright/kube';
import type { EventNote } from '@kubewright/runtime';
import { merged } from '../../kit/merged.ts';
import { isSnoozed } from '../annotations/freeze-of.ts';
import { formatTrace, traceOf } from '../annotations/trace-of.ts';
import type { Braked } from './braked.ts';
import { isChanged } from './changed-fields.ts';
import { changesOwner } from './changes-owner.ts';
import { droppedFrom, withAnnotations } from './annotations-for-people.ts';
import { exceededLimit } from './exceeded-limit.ts';
import { explain, describeChange, describeCorrection, NOT_BY_ITSELF, warningOf } from './explain.ts';
import { isAllowed, type Verdict, detectDrift, type Reason } from './detect-drift.ts';
import {
  annotationsOfChange,
  annotationsOfMetadata,
  annotationsOfStatus,
  annotationsOfTouch,
  isCopy,
  touchesInputs,
  touchesOurs,
} from './annotations-of-change.ts';
import { phaseOf } from './is-reconciling.ts';
import type { Review, Facts } from './review.ts';

/** The decision on one write. */
export type AdmissionDecision = {
  readonly reason: Reason | 'Metadata' | 'Status' | 'TooMany' | 'MayNotApprove';
  readonly allowed: boolean;
  /** Why it is denied. */
  readonly message?: string;
  /** A warning for the client. */
  readonly warning?: string;
  /** All annotations of the object to store; absent: unchanged. */
  readonly annotations?: Readonly<Record<string, string>>;
  /** The writer is the parent's controller: what it sends with our prefix is stored as sent, and does not count. */
  readonly isCopied?: boolean;
  /** Further metadata that is stored as it was. */
  readonly restored?: Restored;
  /** For the audit event. */
  readonly audit?: Readonly<Record<string, string>>;
  /** An Event about the parent. */
  readonly event?: EventNote;
  /** What the Event is about where there is no parent: the object of a tool. */
  readonly about?: KubeObject;
  /** The approval that the change used. */
  readonly approval?: Extract<Verdict, { reason: 'Approved' }>['approval'];
  /** It is one change too many for the brake of its policy. */
  readonly brake?: Braked;
};

/** What a write of the status does not change: on some servers it could, and nobody checks it. */
type Restored = {
  readonly ownerReferences?: readonly OwnerReference[];
  readonly labels?: Readonly<Record<string, string>>;
};

/**
 * The kind of write. Only a change is checked for drift; the parent is needed for that, or where our annotations
 * differ. To take an object from its owner, to give it one, or to put it under another policy is a change: what is done
 * to it then would not be checked, or checked otherwise.
 */
export function kindOfWrite(review: Review): 'status' | 'change' | 'annotations' | 'untouched' {
  const { isStatus, operation, old, object, isUnderAnother = false } = review;
  if (isStatus) return 'status';
  if (operation !== 'UPDATE' || old === undefined || isChanged(old, object)) return 'change';
  if (isUnderAnother || changesOwner(old, object)) return 'change';
  return touchesOurs(review) ? 'annotations' : 'untouched';
}

/** Decides on a write, from its parent as known and the time. Pure. */
export function decideAdmission(review: Review, facts: Facts, now: Date): AdmissionDecision {
  switch (kindOfWrite(review)) {
    case 'status':
      return {
        reason: 'Status',
        allowed: true,
        annotations: annotationsOfStatus(review, now),
        restored: restoredBy(review),
      };
    case 'untouched':
      return touchesInputs(review)
        ? { reason: 'Metadata', allowed: true, annotations: annotationsOfTouch(review, now) }
        : { reason: 'Metadata', allowed: true };
    case 'annotations':
      return withinLimits(review, decideAnnotations(review, facts, now));
    case 'change':
      return withinLimits(review, decideChange(review, facts, now));
  }
}

function restoredBy({ old, object, isOwn, isUnderAnother = false }: Review): Restored {
  if (old === undefined || isOwn) return {};
  const { ownerReferences = [], labels = {} } = old.metadata;
  return {
    ...(changesOwner(old, object) ? { ownerReferences } : {}),
    ...(isUnderAnother ? { labels } : {}),
  };
}

/** The decision, unless it stores more annotations for people than there may be: then a denial, in any mode. */
function withinLimits({ old, isOwn }: Review, decision: AdmissionDecision): AdmissionDecision {
  const { allowed, annotations } = decision;
  const message =
    isOwn || !allowed || annotations === undefined ? undefined : exceededLimit(old, annotations);
  return message === undefined ? decision : { reason: 'TooMany', allowed: false, message };
}

/** Servers cut warnings. */
const MOST_NAMED = 5;

function decideAnnotations(review: Review, facts: Facts, now: Date): AdmissionDecision {
  const annotations = annotationsOfMetadata(review, facts, now);
  const isCopied = isCopy(review, facts);
  const decision: AdmissionDecision = { reason: 'Metadata', allowed: true, annotations, isCopied };
  const dropped = review.isOwn || isCopied ? [] : droppedFrom(review, facts, annotations);
  return dropped.length === 0
    ? decision
    : { ...decision, warning: `${NOT_BY_ITSELF}: ${dropped.slice(0, MOST_NAMED).join(', ')}` };
}

function decideChange(review: Review, facts: Facts, now: Date): AdmissionDecision {
  const verdict = detectDrift(review, facts, now);
  const allowed = isAllowed(verdict, facts);
  const audit = auditOf(facts, verdict, allowed);
  const approved = verdict.reason === 'Approved' ? { approval: verdict.approval } : {};
  const report = reportOf(review, facts, verdict, now);
  const decision: AdmissionDecision = merged({ reason: verdict.reason, allowed, audit }, report, approved);
  if (!allowed) return { ...decision, message: explain(review, facts, verdict) };
  const warned = verdict.reason === 'Drift' ? { ...decision, warning: warningOf(facts) } : decision;
  if (review.operation === 'DELETE') return warned;
  const annotations = annotationsOfChange(review, facts, verdict, now);
  const trace = formatTrace(traceOf(withAnnotations(review.object, annotations)));
  const isCopied = isCopy(review, facts);
  return merged(warned, { annotations, isCopied, audit: merged(audit, { trace }) });
}

const RESOLUTIONS: Partial<Record<Reason, string>> = {
  Drift: 'unresolved',
  Approved: 'approved',
  Rejected: 'rejected',
};

/** The server prefixes the keys with the webhook's name, and drops keys with a slash. */
function auditOf({ mode, parent }: Facts, { reason }: Verdict, allowed: boolean): Record<string, string> {
  const resolution = RESOLUTIONS[reason];
  const isWarned = reason === 'Drift' && allowed;
  const decision = isWarned ? 'allowed-with-warning' : allowed ? 'allowed' : 'denied';
  const phase = parent && phaseOf(parent);
  const about = { 'lifecycle-phase': phase, 'drift-resolution': resolution };
  return defined({ decision, drift: String(resolution !== undefined), mode, ...about });
}

function reportOf(
  review: Review,
  facts: Facts,
  verdict: Verdict,
  now: Date,
): Pick<AdmissionDecision, 'event' | 'about'> {
  const event = eventOf(review, facts, verdict);
  const about = verdict.reason === 'Correction' ? verdict.applied.record.object : undefined;
  const subject = facts.parent ?? about;
  if (event === undefined || subject === undefined || isSnoozed(subject, now)) return {};
  return about === undefined ? { event } : { event, about };
}

function eventOf(review: Review, facts: Facts, verdict: Verdict): EventNote | undefined {
  const story = (): string => describeChange(review, facts.parent);
  switch (verdict.reason) {
    case 'Drift': {
      const through = `let through (${facts.unenforced ?? 'mode log'})`;
      const what = facts.mode === 'enforce' ? 'denied' : through;
      return { type: 'Warning', reason: 'DriftDetected', message: `${story()}; ${what}` };
    }
    case 'Correction': {
      const message = describeCorrection(review, verdict.applied);
      return { type: 'Normal', reason: 'DriftCorrected', message };
    }
    case 'Approved':
      return { type: 'Normal', reason: 'DriftApproved', message: `${story()}; approved` };
    case 'Rejected':
      return { type: 'Warning', reason: 'DriftRejected', message: explain(review, facts, verdict) };
    default:
      return undefined;
  }
}
