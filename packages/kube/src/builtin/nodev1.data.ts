// Made by tools/kinds/generate.ts from the catalogue. Do not edit.
import type { ObjectMeta, ResourceRef } from '../object/kube-object.ts';
import type { Toleration } from './corev1.data.ts';

export const runtimeclasses: ResourceRef<RuntimeClass> = {
  group: 'node.k8s.io',
  version: 'v1',
  resource: 'runtimeclasses',
  kind: 'RuntimeClass',
  namespaced: false,
};

export type Overhead = {
  readonly podFixed?: { readonly [key: string]: string };
};

export type RuntimeClass = {
  readonly apiVersion: 'node.k8s.io/v1';
  readonly kind: 'RuntimeClass';
  readonly metadata: ObjectMeta;
  readonly handler: string;
  readonly overhead?: Overhead;
  readonly scheduling?: Scheduling;
};

export type Scheduling = {
  readonly nodeSelector?: { readonly [key: string]: string };
  readonly tolerations?: readonly Toleration[];
};
