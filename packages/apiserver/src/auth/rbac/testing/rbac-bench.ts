import assert from 'node:assert/strict';
import type { Json, JsonObject } from '@kubewright/kube';
import { beforeEach } from 'vitest';
import { createApiServer } from '../../../api-server.ts';
import { type Call, caller } from '../../../testing/call.ts';

export const RBAC = '/apis/rbac.authorization.k8s.io/v1';
export const GROUP = 'rbac.authorization.k8s.io';
export const REVIEWS = '/apis/authorization.k8s.io/v1/subjectaccessreviews';
export const BOB = {
  username: 'system:serviceaccount:t:bob',
  groups: ['system:serviceaccounts', 'system:serviceaccounts:t', 'system:authenticated'],
};
export const SA = { kind: 'ServiceAccount', namespace: 't', name: 'bob' };

export function binding(kind: string, name: string, subject: JsonObject): JsonObject {
  return { roleRef: { apiGroup: GROUP, kind, name }, subjects: [subject] };
}

/** A server with a namespace `t`, an admin who gives rights, and bob, who has none. */
export type RbacBench = {
  readonly admin: Call;
  readonly bob: Call;
  readonly clusterRole: (name: string, rules: Json, labels?: JsonObject) => Promise<void>;
  /** Binds a ClusterRole everywhere. */
  readonly bindCluster: (name: string, subject: JsonObject) => Promise<void>;
  readonly bindIn: (namespace: string, kind: string, name: string, subject: JsonObject) => Promise<void>;
};

/** Registers what the suite needs: each test has a server of its own. */
export function rbacBench(): RbacBench {
  let callers: { readonly admin: Call; readonly bob: Call };
  const admin: Call = (...request) => callers.admin(...request);
  beforeEach(async () => {
    const server = createApiServer();
    callers = { admin: caller(server.transport()), bob: caller(server.transport(BOB)) };
    await admin('POST', '/api/v1/namespaces', { metadata: { name: 't' } });
  });
  const create = async (path: string, name: string, body: JsonObject, labels: JsonObject = {}) => {
    const { status, text } = await admin('POST', path, { metadata: { name, labels }, ...body });
    assert(status === 201, text);
  };
  return {
    admin,
    bob: (...request) => callers.bob(...request),
    clusterRole: (name, rules, labels) => create(`${RBAC}/clusterroles`, name, { rules }, labels),
    bindCluster: (name, subject) =>
      create(`${RBAC}/clusterrolebindings`, `b-${name}`, binding('ClusterRole', name, subject)),
    bindIn: (namespace, kind, name, subject) =>
      create(`${RBAC}/namespaces/${namespace}/rolebindings`, `b-${name}`, binding(kind, name, subject)),
  };
}
