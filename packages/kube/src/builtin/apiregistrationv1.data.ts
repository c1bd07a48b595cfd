// Made by tools/kinds/generate.ts from the catalogue. Do not edit.
import type { ObjectMeta, ResourceRef } from '../object/kube-object.ts';

export const apiservices: ResourceRef<APIService> = {
  group: 'apiregistration.k8s.io',
  version: 'v1',
  resource: 'apiservices',
  kind: 'APIService',
  namespaced: false,
};

export type APIService = {
  readonly apiVersion: 'apiregistration.k8s.io/v1';
  readonly kind: 'APIService';
  readonly metadata: ObjectMeta;
  readonly spec: APIServiceSpec;
  readonly status?: APIServiceStatus;
};

export type APIServiceCondition = {
  readonly lastTransitionTime?: string;
  readonly message?: string;
  readonly reason?: string;
  readonly status: string;
  readonly type: string;
};

export type APIServiceSpec = {
  readonly caBundle?: string;
  readonly group?: string;
  readonly groupPriorityMinimum: number;
  readonly insecureSkipTLSVerify?: boolean;
  readonly service?: ServiceReference;
  readonly version?: string;
  readonly versionPriority: number;
};

export type APIServiceStatus = {
  readonly conditions?: readonly APIServiceCondition[];
};

export type ServiceReference = {
  readonly name?: string;
  readonly namespace?: string;
  readonly port?: number;
};
