import type { Client } from '@kubewright/client';
import { authorizationv1 } from '@kubewright/kube';
import type { AdmissionRequest } from '@kubewright/runtime';
import type { AdmissionDecision } from '../decide/decide-admission.ts';
import { loosening } from '../decide/annotations-for-people.ts';
import type { Review } from '../decide/review.ts';

/** Whether the user of a request may approve drift of what its object owns. */
export type MayApprove = (request: AdmissionRequest) => Promise<boolean>;

/** The verb that RBAC grants on the owner's resource. */
const VERB = 'approve';

/** Asks the server whether RBAC grants the verb `approve` on the object of a request. */
export function approvers(client: Client): MayApprove {
  return async ({ userInfo, resource, namespace, name }) => {
    const { username: user, uid, groups, extra } = userInfo;
    const { status } = await client.create(authorizationv1.subjectaccessreviews, {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SubjectAccessReview',
      metadata: {},
      spec: { user, uid, groups, extra, resourceAttributes: { verb: VERB, ...resource, namespace, name } },
    });
    return status?.allowed === true;
  };
}

/** The decision, unless it lets more through than before and the user may not do that: then a denial. */
export async function authorized(
  request: AdmissionRequest,
  { old, isOwn, user }: Review,
  decision: AdmissionDecision,
  mayApprove: MayApprove,
): Promise<AdmissionDecision> {
  const { allowed, annotations } = decision;
  const keys = isOwn || !allowed || annotations === undefined ? [] : loosening(old, annotations);
  if (keys.length === 0 || (await mayApprove(request))) return decision;
  const { group, resource } = request.resource;
  const what = group === '' ? resource : `${resource}.${group}`;
  const where = request.namespace === '' ? '' : ` in namespace ${request.namespace}`;
  return {
    reason: 'MayNotApprove',
    allowed: false,
    message: `${user} may not approve drift: changing ${keys.join(', ')} needs the verb "${VERB}" on ${what}${where}`,
  };
}
