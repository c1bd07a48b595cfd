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
import { changeOf } from './judge.ts';
import type { Review } from './review.ts';

/**
 * The annotation `approvals` that a parent has to bear before a write goes through; undefined: the one that it bears,
 * null: none. A child remembers what it has used, in the very write that uses it. What other writes could use again, its
 * parent has to remember before: an approval for several children, and one that a child would take along as it goes.
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
  // Approvals name no namespace: a parent that has none may own several of that name.
  const isOne = isExact(approval) && change.namespace === namespace;
  const isRemembered = isOne && change.uid === undefined;
  if (modeOf(approval) !== 'once' || isRemembered) return [approval];
  // A name that the server is still to generate tells no two children apart: it is used up at once.
  return change.name === '' ? [] : [{ ...approval, reservedFor: change }];
}
