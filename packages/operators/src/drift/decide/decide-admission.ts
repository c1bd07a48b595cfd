import type { KubeObject } from '@kubewright/kube';
import type { EventNote } from '@kubewright/runtime';
import { isSnoozed } from '../annotations/freeze-of.ts';
import { formatTrace, traceOf } from '../annotations/trace-of.ts';
import { isChanged } from './changed-fields.ts';
import { explain, storyOf, WOULD_BE_DENIED } from './explain.ts';
import { isAllowed, type Judgement, judge, type Reason } from './judge.ts';
import {
  annotationsOfChange,
  annotationsOfMetadata,
  annotationsOfStatus,
  touchesOurs,
} from './annotations-of-change.ts';
import { phaseOf } from './is-reconciling.ts';
import type { Review, World } from './review.ts';

/** What becomes of one write. */
export type AdmissionDecision = {
  readonly reason: Reason | 'Metadata' | 'Status';
  readonly allowed: boolean;
  /** Why it is denied. */
  readonly message?: string;
  /** Shown to whoever writes. */
  readonly warning?: string;
  /** All annotations that the object is to have; absent: those that it was sent with. */
  readonly annotations?: Readonly<Record<string, string>>;
  /** Of the audit log's entry. */
  readonly audit?: Readonly<Record<string, string>>;
  /** Recorded about the parent. */
  readonly event?: EventNote;
  /** The approval that was used. */
  readonly approval?: Extract<Judgement, { reason: 'Approved' }>['approval'];
};

/** What kind of write it is: only a change is judged, and only then, or where annotations differ, the parent matters. */
export function kindOfWrite(review: Review): 'status' | 'change' | 'annotations' | 'untouched' {
  const { isStatus, operation, old, object } = review;
  if (isStatus) return 'status';
  if (operation !== 'UPDATE' || old === undefined || isChanged(old, object)) return 'change';
  return touchesOurs(review) ? 'annotations' : 'untouched';
}

/** Pure: from the write, its parent as it is known, and the time. */
export function decideAdmission(review: Review, world: World, now: Date): AdmissionDecision {
  switch (kindOfWrite(review)) {
    case 'status':
      return { reason: 'Status', allowed: true, annotations: annotationsOfStatus(review) };
    case 'untouched':
      return { reason: 'Metadata', allowed: true };
    case 'annotations':
      return { reason: 'Metadata', allowed: true, annotations: annotationsOfMetadata(review, world, now) };
    case 'change':
      return decideChange(review, world, now);
  }
}

function decideChange(review: Review, world: World, now: Date): AdmissionDecision {
  const judgement = judge(review, world, now);
  const allowed = isAllowed(judgement, world);
  const event = eventOf(review, world, judgement);
  const isQuiet = world.parent === undefined || isSnoozed(world.parent, now);
  const decision: AdmissionDecision = {
    reason: judgement.reason,
    allowed,
    audit: auditOf(world, judgement, allowed),
    ...(event === undefined || isQuiet ? {} : { event }),
    ...(judgement.reason === 'Approved' ? { approval: judgement.approval } : {}),
  };
  if (!allowed) return { ...decision, message: explain(review, world, judgement) };
  const warned = judgement.reason === 'Drift' ? { ...decision, warning: WOULD_BE_DENIED } : decision;
  if (review.operation === 'DELETE') return warned;
  const annotations = annotationsOfChange(review, world, judgement, now);
  const trace = formatTrace(traceOf(withAnnotations(review.object, annotations)));
  return { ...warned, annotations, audit: { ...warned.audit, trace } };
}

const RESOLUTIONS: Partial<Record<Reason, string>> = {
  Drift: 'unresolved',
  Approved: 'approved',
  Rejected: 'rejected',
};

/** The server puts the webhook's name before the keys; a key with a slash it would drop. */
function auditOf({ mode, parent }: World, { reason }: Judgement, allowed: boolean): Record<string, string> {
  const resolution = RESOLUTIONS[reason];
  const isWarned = reason === 'Drift' && allowed;
  return {
    decision: isWarned ? 'allowed-with-warning' : allowed ? 'allowed' : 'denied',
    drift: String(resolution !== undefined),
    mode,
    ...(parent === undefined ? {} : { 'lifecycle-phase': phaseOf(parent) }),
    ...(resolution === undefined ? {} : { 'drift-resolution': resolution }),
  };
}

function eventOf(review: Review, world: World, judgement: Judgement): EventNote | undefined {
  const story = (): string => storyOf(review, world.parent);
  switch (judgement.reason) {
    case 'Drift': {
      const what = world.mode === 'enforce' ? 'denied' : 'let through (mode log)';
      return { type: 'Warning', reason: 'DriftDetected', message: `${story()}; ${what}` };
    }
    case 'Approved':
      return { type: 'Normal', reason: 'DriftApproved', message: `${story()}; approved` };
    case 'Rejected':
      return { type: 'Warning', reason: 'DriftRejected', message: explain(review, world, judgement) };
    default:
      return undefined;
  }
}

function withAnnotations(object: KubeObject, annotations: Readonly<Record<string, string>>): KubeObject {
  return { ...object, metadata: { ...object.metadata, annotations } };
}
