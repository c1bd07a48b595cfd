// Made by tools/kinds/generate.ts from the catalogue. Do not edit.
import type { ObjectMeta, ResourceRef } from '../object/kube-object.ts';

export const selfsubjectreviews: ResourceRef<SelfSubjectReview> = {
  group: 'authentication.k8s.io',
  version: 'v1',
  resource: 'selfsubjectreviews',
  kind: 'SelfSubjectReview',
  namespaced: false,
  stored: false,
};
export const tokenreviews: ResourceRef<TokenReview> = {
  group: 'authentication.k8s.io',
  version: 'v1',
  resource: 'tokenreviews',
  kind: 'TokenReview',
  namespaced: false,
  stored: false,
};

export type BoundObjectReference = {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly name?: string;
  readonly uid?: string;
};

export type SelfSubjectReview = {
  readonly apiVersion: 'authentication.k8s.io/v1';
  readonly kind: 'SelfSubjectReview';
  readonly metadata: ObjectMeta;
  readonly status?: SelfSubjectReviewStatus;
};

export type SelfSubjectReviewStatus = {
  readonly userInfo?: UserInfo;
};

export type TokenRequest = {
  readonly apiVersion: 'authentication.k8s.io/v1';
  readonly kind: 'TokenRequest';
  readonly metadata: ObjectMeta;
  readonly spec: TokenRequestSpec;
  readonly status?: TokenRequestStatus;
};

export type TokenRequestSpec = {
  readonly audiences?: readonly string[];
  readonly boundObjectRef?: BoundObjectReference;
  readonly expirationSeconds?: number;
};

export type TokenRequestStatus = {
  readonly expirationTimestamp?: string;
  readonly token?: string;
};

export type TokenReview = {
  readonly apiVersion: 'authentication.k8s.io/v1';
  readonly kind: 'TokenReview';
  readonly metadata: ObjectMeta;
  readonly spec: TokenReviewSpec;
  readonly status?: TokenReviewStatus;
};

export type TokenReviewSpec = {
  readonly audiences?: readonly string[];
  readonly token: string;
};

export type TokenReviewStatus = {
  readonly audiences?: readonly string[];
  readonly authenticated?: boolean;
  readonly error?: string;
  readonly user?: UserInfo;
};

export type UserInfo = {
  readonly extra?: { readonly [key: string]: readonly string[] };
  readonly groups?: readonly string[];
  readonly uid?: string;
  readonly username?: string;
};
