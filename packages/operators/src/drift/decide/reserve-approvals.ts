import type { KubeObject } from '@kubewright/kube';
import { ANNOTATIONS, type Approval } from '../api.ts';
import {
  approvalId,
  approvalsOf,
  type Change,
  formatApprovals,
  isExact,
  modeOf,
} from '../annotations/find-approval.ts';
import { hashesOf } from '../annotations/user-hash.ts';
import type { AdmissionDecision } from './decide-admission.ts';
import { changeOf } from './detect-drift.ts';
import type { Review } from './review.ts';

/**
 * The annotation `approvals` that a parent must carry before a write is allowed; undefined: unchanged, null: removed. A
 * child records the approvals it has used, in the write that uses them. An approval that other writes could still use,
 * because it covers several children or its child is being deleted, is reserved on the parent first.
 */
export function reserveApprovals(
  review: Review,
  parent: KubeObject | undefined,
  { allowed, approval }: AdmissionDecision,
): string | null | undefined {
  if (!allowed || parent === undefined) return undefined;
  const before = approvalsOf(parent);
  const gone = review.operation === 'DELETE' ? hashesOf(review.old, ANNOTATIONS.usedApprovals) : [];
  const taken = approval === undefined ? undefined : approvalId(approval);
  const after = before
    .filter((one) => !gone.includes(approvalId(one)))
    .flatMap((one) => (approvalId(one) === taken ? reserved(one, changeOf(review), parent) : [one]));
  if (formatApprovals(after) === formatApprovals(before)) return undefined;
  return after.length === 0 ? null : formatApprovals(after);
}

function reserved(
  approval: Approval,
  change: Change,
  { metadata: { namespace } }: KubeObject,
): readonly Approval[] {
  // Approvals have no namespace: a cluster-scoped parent may own several children of one name.
  const isOne = isExact(approval) && change.namespace === namespace;
  const isRemembered = isOne && change.uid === undefined;
  if (modeOf(approval) !== 'once' || isRemembered) return [approval];
  // With generateName the child is not known by name yet, so the approval is used up at once.
  return change.name === '' ? [] : [{ ...approval, reservedFor: change }];
}
