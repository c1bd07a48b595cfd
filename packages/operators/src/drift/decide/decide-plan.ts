import type { KubeObject } from '@kubewright/kube';
import type { Approval, Freeze, Rejection } from '../api.ts';
import {
  approvalId,
  approvalsOf,
  type Change,
  findApproval,
  formatApprovals,
  modeOf,
  rejectionOf,
} from '../annotations/find-approval.ts';
import { freezeOf } from '../annotations/freeze-of.ts';
import { isDestructive, isOfOutput, type Plan, type PlannedChange } from '../plan/plan.ts';
import { resourceAt } from '../plan/resource-at.ts';
import { isReconciling, phaseOf } from './is-reconciling.ts';

/** The classification of one change of a plan, with the annotation that decided it. */
type PlanVerdict =
  | { readonly reason: 'ParentDeleting' | 'Initializing' | 'Reconciling' | 'Drift' | 'Destructive' }
  | { readonly reason: 'ChangedOutside' | 'FollowsResources' }
  | { readonly reason: 'Frozen'; readonly freeze: Freeze }
  | { readonly reason: 'Rejected'; readonly rejection: Rejection }
  | { readonly reason: 'Approved'; readonly approval: Approval };

export type JudgedChange = PlannedChange & { readonly allowed: boolean; readonly verdict: PlanVerdict };

/** The decision on a plan. */
export type PlanDecision = {
  readonly allowed: boolean;
  readonly changes: readonly JudgedChange[];
  /** The parent's approvals to store before the plan is allowed: those of mode `once` are for this plan from then on. */
  readonly reserved?: readonly Approval[];
};

const DENIED: ReadonlySet<string> = new Set(['Frozen', 'Rejected', 'Drift', 'Destructive']);

/**
 * Decides on a plan of Terraform for what a parent stands for. It is allowed if all of its changes are, because it is
 * applied as a whole. Pure.
 */
export function decidePlan(plan: Plan, parent: KubeObject, now: Date): PlanDecision {
  const before = approvalsOf(parent);
  let approvals = before;
  const changes: JudgedChange[] = [];
  for (const planned of plan.changes) {
    const verdict = detectPlanDrift(planned, { plan, parent, approvals, now });
    if (verdict.reason === 'Approved')
      approvals = withReserved(approvals, verdict.approval, changeOf(planned, plan));
    changes.push({ ...planned, allowed: !DENIED.has(verdict.reason), verdict });
  }
  const allowed = changes.every((one) => one.allowed);
  const isReserving = allowed && formatApprovals(approvals) !== formatApprovals(before);
  return { allowed, changes, ...(isReserving ? { reserved: approvals } : {}) };
}

type PlanFacts = {
  readonly plan: Plan;
  readonly parent: KubeObject;
  /** With what earlier changes of the plan have reserved. */
  readonly approvals: readonly Approval[];
  readonly now: Date;
};

/** A plan by a parent's controller is drift if the spec has not changed. The first rule that holds decides. */
function detectPlanDrift(planned: PlannedChange, facts: PlanFacts): PlanVerdict {
  const { parent, now } = facts;
  const phase = phaseOf(parent);
  if (phase === 'Deleting') return { reason: 'ParentDeleting' };
  const freeze = freezeOf(parent);
  if (freeze !== undefined) return { reason: 'Frozen', freeze };
  const expected = phase === 'Initializing' ? phase : isReconciling(parent, now) ? 'Reconciling' : undefined;
  if (expected !== undefined && !isDestructive(planned)) return { reason: expected };
  return detectUnexpected(planned, facts) ?? { reason: expected === undefined ? 'Drift' : 'Destructive' };
}

/** Undefined: it needs an approval, and nobody has given one. */
function detectUnexpected(planned: PlannedChange, facts: PlanFacts): PlanVerdict | undefined {
  const rejection = rejectionOfPlanned(planned, facts);
  if (rejection !== undefined) return { reason: 'Rejected', rejection };
  const cause = causeOf(planned, facts.plan);
  return cause === undefined ? detectByApproval(changeOf(planned, facts.plan), facts) : { reason: cause };
}

/** A move is rejected under both of its addresses. */
function rejectionOfPlanned(planned: PlannedChange, { plan, parent }: PlanFacts): Rejection | undefined {
  const { address, movedFrom = address } = planned;
  return (
    rejectionOf(parent, changeOf(planned, plan)) ??
    rejectionOf(parent, changeOf({ ...planned, address: movedFrom }, plan))
  );
}

/**
 * Somebody else has made the change that a refresh records. An output beside other changes has the values that these
 * give it; only one that changes alone is a change of the configuration.
 */
function causeOf(
  planned: PlannedChange,
  { changes }: Plan,
): 'ChangedOutside' | 'FollowsResources' | undefined {
  if (planned.action === 'refresh') return 'ChangedOutside';
  const isAlone = changes.every((one) => isOfOutput(one));
  return isOfOutput(planned) && !isAlone ? 'FollowsResources' : undefined;
}

function detectByApproval(
  change: Change,
  { plan, parent, approvals, now }: PlanFacts,
): PlanVerdict | undefined {
  // Two plans that do not say when they were made may look alike, and only one may use it.
  const usable = approvals.filter((one) => plan.timestamp !== undefined || modeOf(one) !== 'once');
  const approval = findApproval(usable, change, { parent, now, used: [] });
  return approval === undefined ? undefined : { reason: 'Approved', approval };
}

/** The uid is that of the plan: the same plan may be checked again, another one may not use what it has reserved. */
function changeOf({ address }: PlannedChange, { id }: Plan): Change {
  const { apiVersion = '', kind = '', name = '' } = resourceAt(address) ?? {};
  return { apiVersion, kind, name, uid: id };
}

function withReserved(
  approvals: readonly Approval[],
  approval: Approval,
  reservedFor: Change,
): readonly Approval[] {
  if (modeOf(approval) !== 'once') return approvals;
  return approvals.map((one) => (approvalId(one) === approvalId(approval) ? { ...one, reservedFor } : one));
}
