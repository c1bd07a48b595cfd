// Made by tools/kinds/generate.ts from the catalogue. Do not edit.
import type { NamespacedMeta, ObjectMeta, ResourceRef } from '../object/kube-object.ts';
import type { FieldSelectorRequirement, LabelSelectorRequirement } from './metav1.data.ts';

export const localsubjectaccessreviews: ResourceRef<LocalSubjectAccessReview> = {
  group: 'authorization.k8s.io',
  version: 'v1',
  resource: 'localsubjectaccessreviews',
  kind: 'LocalSubjectAccessReview',
  namespaced: true,
  stored: false,
};
export const selfsubjectaccessreviews: ResourceRef<SelfSubjectAccessReview> = {
  group: 'authorization.k8s.io',
  version: 'v1',
  resource: 'selfsubjectaccessreviews',
  kind: 'SelfSubjectAccessReview',
  namespaced: false,
  stored: false,
};
export const selfsubjectrulesreviews: ResourceRef<SelfSubjectRulesReview> = {
  group: 'authorization.k8s.io',
  version: 'v1',
  resource: 'selfsubjectrulesreviews',
  kind: 'SelfSubjectRulesReview',
  namespaced: false,
  stored: false,
};
export const subjectaccessreviews: ResourceRef<SubjectAccessReview> = {
  group: 'authorization.k8s.io',
  version: 'v1',
  resource: 'subjectaccessreviews',
  kind: 'SubjectAccessReview',
  namespaced: false,
  stored: false,
};

export type FieldSelectorAttributes = {
  readonly rawSelector?: string;
  readonly requirements?: readonly FieldSelectorRequirement[];
};

export type LabelSelectorAttributes = {
  readonly rawSelector?: string;
  readonly requirements?: readonly LabelSelectorRequirement[];
};

export type LocalSubjectAccessReview = {
  readonly apiVersion: 'authorization.k8s.io/v1';
  readonly kind: 'LocalSubjectAccessReview';
  readonly metadata: NamespacedMeta;
  readonly spec: SubjectAccessReviewSpec;
  readonly status?: SubjectAccessReviewStatus;
};

export type NonResourceAttributes = {
  readonly path?: string;
  readonly verb?: string;
};

export type NonResourceRule = {
  readonly nonResourceURLs?: readonly string[];
  readonly verbs: readonly string[];
};

export type ResourceAttributes = {
  readonly fieldSelector?: FieldSelectorAttributes;
  readonly group?: string;
  readonly labelSelector?: LabelSelectorAttributes;
  readonly name?: string;
  readonly namespace?: string;
  readonly resource?: string;
  readonly subresource?: string;
  readonly verb?: string;
  readonly version?: string;
};

export type ResourceRule = {
  readonly apiGroups?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly resources?: readonly string[];
  readonly verbs: readonly string[];
};

export type SelfSubjectAccessReview = {
  readonly apiVersion: 'authorization.k8s.io/v1';
  readonly kind: 'SelfSubjectAccessReview';
  readonly metadata: ObjectMeta;
  readonly spec: SelfSubjectAccessReviewSpec;
  readonly status?: SubjectAccessReviewStatus;
};

export type SelfSubjectAccessReviewSpec = {
  readonly nonResourceAttributes?: NonResourceAttributes;
  readonly resourceAttributes?: ResourceAttributes;
};

export type SelfSubjectRulesReview = {
  readonly apiVersion: 'authorization.k8s.io/v1';
  readonly kind: 'SelfSubjectRulesReview';
  readonly metadata: ObjectMeta;
  readonly spec: SelfSubjectRulesReviewSpec;
  readonly status?: SubjectRulesReviewStatus;
};

export type SelfSubjectRulesReviewSpec = {
  readonly namespace?: string;
};

export type SubjectAccessReview = {
  readonly apiVersion: 'authorization.k8s.io/v1';
  readonly kind: 'SubjectAccessReview';
  readonly metadata: ObjectMeta;
  readonly spec: SubjectAccessReviewSpec;
  readonly status?: SubjectAccessReviewStatus;
};

export type SubjectAccessReviewSpec = {
  readonly extra?: { readonly [key: string]: readonly string[] };
  readonly groups?: readonly string[];
  readonly nonResourceAttributes?: NonResourceAttributes;
  readonly resourceAttributes?: ResourceAttributes;
  readonly uid?: string;
  readonly user?: string;
};

export type SubjectAccessReviewStatus = {
  readonly allowed: boolean;
  readonly denied?: boolean;
  readonly evaluationError?: string;
  readonly reason?: string;
};

export type SubjectRulesReviewStatus = {
  readonly evaluationError?: string;
  readonly incomplete: boolean;
  readonly nonResourceRules: readonly NonResourceRule[];
  readonly resourceRules: readonly ResourceRule[];
};
