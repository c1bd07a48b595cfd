import type { Client } from '@kubewright/client';
import { type authorizationv1 as api, authorizationv1 } from '@kubewright/kube';
import type { AdmissionUser } from '@kubewright/runtime';

type Attributes = NonNullable<api.SubjectAccessReview['spec']['resourceAttributes']>;

/** Whether a user may do something, as the API server decides it (SubjectAccessReview). */
export async function isAllowed(
  { username, uid, groups, extra }: AdmissionUser,
  resourceAttributes: Attributes,
  { client, signal }: { readonly client: Client; readonly signal: AbortSignal },
): Promise<boolean> {
  const { status } = await client.create(
    authorizationv1.subjectaccessreviews,
    {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SubjectAccessReview',
      metadata: {},
      spec: { user: username, uid, groups, extra, resourceAttributes },
    },
    { signal },
  );
  return status?.allowed === true;
}
