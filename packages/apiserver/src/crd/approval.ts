import type { KubeObject } from '@kubewright/kube';
import { quoteGo } from '@kubewright/kube/validation';
import { groupOf } from './definition-view.ts';
import { type CrdCondition, withCondition } from './with-condition.ts';

export const APPROVAL = 'api-approved.kubernetes.io';

/** Whether definitions of a group need the approval of the Kubernetes project. */
export function isProtected(group: string): boolean {
  return /(^|\.)(k8s|kubernetes)\.io$/.test(group);
}

/** Where the definition says that it was approved, or that it was not. Empty: it does not say. */
export function approvalOf(crd: KubeObject): string {
  return crd.metadata.annotations?.[APPROVAL] ?? '';
}

export function isBypassed(approval: string): boolean {
  return approval.startsWith('unapproved');
}

/** The definition with what its status says of the approval; itself where it needs none. */
export function withApproval(crd: KubeObject, now: Date): KubeObject {
  const approval = approvalOf(crd);
  return isProtected(groupOf(crd)) && approval !== '' ? withCondition(crd, conditionOf(approval), now) : crd;
}

function conditionOf(approval: string): CrdCondition {
  const type = 'KubernetesAPIApprovalPolicyConformant';
  return isBypassed(approval)
    ? { type, status: 'False', reason: 'UnapprovedAnnotation', message: `not approved: ${quoteGo(approval)}` }
    : { type, status: 'True', reason: 'ApprovedAnnotation', message: `approved in ${approval}` };
}
