import type { Approval, Freeze, Rejection } from '../api.ts';
import { ANNOTATIONS } from '../api.ts';
import { approvalsOf, type Change, findApproval, modeOf, rejectionOf } from '../annotations/find-approval.ts';
import { freezeOf } from '../annotations/freeze-of.ts';
import { hashesOf } from '../annotations/user-hash.ts';
import { approveByPolicy } from './approve-by-policy.ts';
import { type Applied, appliedBy } from './applied-by.ts';
import { type Cause, namedCause } from './named-cause.ts';
import { type ControllerIdentity, relationOf } from './controller-identity.ts';
import { isReconciling, isSpentReplicaSet, phaseOf } from './is-reconciling.ts';
import type { Review, Facts } from './review.ts';
import { defined, type KubeObject } from '@kubewright/kube';

/** The classification of a change, with the annotation that decided it. */
export type Verdict =
  | { readonly reason: 'NoParent'; readonly applied?: Applied }
  | { readonly reason: 'NewRevision' | 'Correction'; readonly applied: Applied }
  | { readonly reason: 'ParentDeleting' | 'Initializing' | 'Reconciling' | 'HistoryCleanup' }
  | { readonly reason: Cause }
  | { readonly reason: 'OtherActor' | 'UnknownController' | 'Drift' }
  | { readonly reason: 'Frozen'; readonly freeze: Freeze }
  | { readonly reason: 'Rejected'; readonly rejection: Rejection }
  | { readonly reason: 'Approved'; readonly approval: Approval };

export type Reason = Verdict['reason'];

/** Drift is a change by the controller of a parent whose spec has not changed. The first rule that holds decides. */
export function detectDrift(review: Review, facts: Facts, now: Date): Verdict {
  const { parent, isEnding } = facts;
  if (parent === undefined) return withoutParent(review, facts);
  const phase = phaseOf(parent, now);
  if (isEnding || phase === 'Deleting') return { reason: 'ParentDeleting' };
  const freeze = freezeOf(parent);
  if (freeze !== undefined) return { reason: 'Frozen', freeze };
  if (phase === 'Initializing') return { reason: 'Initializing' };
  const verdict = detectByActor(review, parent, relationOf(review, parent), now);
  if (verdict !== undefined) return verdict;
  const cause = namedCause(review, parent, facts, now);
  return cause === undefined ? detectByApproval(review, parent, facts, now) : byCause(cause, review, parent);
}

/** Nobody's, or a tool's: neither is denied. */
function withoutParent(review: Review, facts: Facts): Verdict {
  const applied = appliedBy(review, facts);
  if (applied?.revision === undefined) return { reason: 'NoParent', ...defined({ applied }) };
  return { reason: applied.isCorrection ? 'Correction' : 'NewRevision', applied };
}

/** Undefined: it is drift, unless somebody has approved it. */
function detectByActor(
  review: Review,
  parent: KubeObject,
  relation: ControllerIdentity,
  now: Date,
): Verdict | undefined {
  if (relation === 'other') return { reason: 'OtherActor' };
  if (isReconciling(parent, now)) return { reason: 'Reconciling' };
  if (relation === 'unknown') return { reason: 'UnknownController' };
  const isCleanup = review.operation === 'DELETE' && isSpentReplicaSet(review.object);
  return isCleanup ? { reason: 'HistoryCleanup' } : undefined;
}

/** What somebody has rejected is rejected, whatever its cause. */
function byCause(reason: Cause, review: Review, parent: KubeObject): Verdict {
  const rejection = rejectionOf(parent, changeOf(review));
  return rejection === undefined ? { reason } : { reason: 'Rejected', rejection };
}

function detectByApproval(
  review: Review,
  parent: KubeObject,
  { approvalRules = [] }: Facts,
  now: Date,
): Verdict {
  const change = changeOf(review);
  const rejection = rejectionOf(parent, change);
  if (rejection !== undefined) return { reason: 'Rejected', rejection };
  const used = hashesOf(review.old, ANNOTATIONS.usedApprovals);
  // Its use could not be stored with the write, or beside that of the first check.
  const isFor = (mode: string): boolean =>
    (review.isScale !== true && review.isSecond !== true) || mode !== 'once';
  const approvals = approvalsOf(parent).filter((one) => isFor(modeOf(one)));
  const rules = approvalRules.filter(({ mode }) => isFor(mode));
  const found = findApproval(approvals, change, { parent, now, used });
  // What is for one change stays for a change that nothing else covers.
  const isLasting = found !== undefined && modeOf(found) !== 'once';
  const approval = isLasting ? found : (approveByPolicy(rules, review, parent, now) ?? found);
  return approval === undefined ? { reason: 'Drift' } : { reason: 'Approved', approval };
}

/** The change, for matching with approvals. */
export function changeOf({ operation, object: { apiVersion, kind, metadata } }: Review): Change {
  const { namespace, name = '', uid, generateName } = metadata;
  const isDeleted = operation === 'DELETE';
  return {
    apiVersion,
    kind,
    name,
    ...defined({
      namespace,
      uid: isDeleted ? uid : undefined,
      generateName: name === '' ? generateName : undefined,
    }),
  };
}

/** Whether the change is allowed. */
export function isAllowed({ reason }: Verdict, { mode }: Facts): boolean {
  if (reason === 'Frozen' || reason === 'Rejected') return false;
  return reason !== 'Drift' || mode === 'log';
}
