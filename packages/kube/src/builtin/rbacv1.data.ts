// Made by tools/kinds/generate.ts from the catalogue. Do not edit.
import type { NamespacedMeta, ObjectMeta, ResourceRef } from '../object/kube-object.ts';
import type { LabelSelector } from './metav1.data.ts';

export const clusterrolebindings: ResourceRef<ClusterRoleBinding> = {
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  resource: 'clusterrolebindings',
  kind: 'ClusterRoleBinding',
  namespaced: false,
};
export const clusterroles: ResourceRef<ClusterRole> = {
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  resource: 'clusterroles',
  kind: 'ClusterRole',
  namespaced: false,
};
export const rolebindings: ResourceRef<RoleBinding> = {
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  resource: 'rolebindings',
  kind: 'RoleBinding',
  namespaced: true,
};
export const roles: ResourceRef<Role> = {
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  resource: 'roles',
  kind: 'Role',
  namespaced: true,
};

export type AggregationRule = {
  readonly clusterRoleSelectors?: readonly LabelSelector[];
};

export type ClusterRole = {
  readonly apiVersion: 'rbac.authorization.k8s.io/v1';
  readonly kind: 'ClusterRole';
  readonly metadata: ObjectMeta;
  readonly aggregationRule?: AggregationRule;
  readonly rules?: readonly PolicyRule[];
};

export type ClusterRoleBinding = {
  readonly apiVersion: 'rbac.authorization.k8s.io/v1';
  readonly kind: 'ClusterRoleBinding';
  readonly metadata: ObjectMeta;
  readonly roleRef: RoleRef;
  readonly subjects?: readonly Subject[];
};

export type PolicyRule = {
  readonly apiGroups?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly resources?: readonly string[];
  readonly verbs: readonly string[];
};

export type Role = {
  readonly apiVersion: 'rbac.authorization.k8s.io/v1';
  readonly kind: 'Role';
  readonly metadata: NamespacedMeta;
  readonly rules?: readonly PolicyRule[];
};

export type RoleBinding = {
  readonly apiVersion: 'rbac.authorization.k8s.io/v1';
  readonly kind: 'RoleBinding';
  readonly metadata: NamespacedMeta;
  readonly roleRef: RoleRef;
  readonly subjects?: readonly Subject[];
};

export type RoleRef = {
  readonly apiGroup?: string;
  readonly kind: string;
  readonly name: string;
};

export type Subject = {
  readonly apiGroup?: string;
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string;
};
