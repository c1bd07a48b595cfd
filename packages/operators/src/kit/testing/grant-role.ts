import assert from 'node:assert/strict';
import type { Client } from '@kubewright/client';
import { authorizationv1, rbacv1 } from '@kubewright/kube';
import { vi } from 'vitest';

const GROUP = 'rbac.authorization.k8s.io';
const WITHIN = { timeout: 60_000 };

type Grant = {
  readonly namespace: string;
  readonly name: string;
  readonly user: string;
  readonly rules: readonly [rbacv1.PolicyRule, ...rbacv1.PolicyRule[]];
};

/** Grants a user `rules` in a namespace, and waits for the authorizer: kube-apiserver's learns of a role some time after its creation. */
export async function grantRole(admin: Client, { namespace, name, user, rules }: Grant): Promise<void> {
  const metadata = { namespace, name };
  await admin.create(rbacv1.roles, { apiVersion: `${GROUP}/v1`, kind: 'Role', metadata, rules });
  await admin.create(rbacv1.rolebindings, {
    apiVersion: `${GROUP}/v1`,
    kind: 'RoleBinding',
    metadata,
    roleRef: { apiGroup: GROUP, kind: 'Role', name },
    subjects: [{ apiGroup: GROUP, kind: 'User', name: user }],
  });
  const [
    {
      apiGroups: [group = ''] = [],
      resources: [resource = ''] = [],
      verbs: [verb = ''],
    },
  ] = rules;
  await vi.waitFor(async () => {
    const { status } = await admin.create(authorizationv1.subjectaccessreviews, {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SubjectAccessReview',
      metadata: {},
      spec: { user, resourceAttributes: { namespace, group, resource, verb } },
    });
    assert(status?.allowed === true);
  }, WITHIN);
}
