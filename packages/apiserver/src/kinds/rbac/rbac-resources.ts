import type { Declaration } from '../../model/declaration.ts';
import { clusterRole, clusterRoleBinding, role, roleBinding } from './role.ts';

const apiVersion = 'rbac.authorization.k8s.io/v1';
const rest = { createOnUpdate: true };

/** Roles and bindings as objects; the authorizer evaluates them. */
export const RBAC_RESOURCES: readonly Declaration[] = [
  {
    apiVersion,
    kind: 'ClusterRoleBinding',
    resource: 'clusterrolebindings',
    namespaced: false,
    strategy: clusterRoleBinding,
    rest,
  },
  {
    apiVersion,
    kind: 'ClusterRole',
    resource: 'clusterroles',
    namespaced: false,
    strategy: clusterRole,
    rest,
  },
  { apiVersion, kind: 'RoleBinding', resource: 'rolebindings', strategy: roleBinding, rest },
  { apiVersion, kind: 'Role', resource: 'roles', strategy: role, rest },
];
