// Made by tools/kinds/generate.ts from the catalogue. Do not edit.
import type { ObjectMeta, ResourceRef } from '../object/kube-object.ts';

export const priorityclasses: ResourceRef<PriorityClass> = {
  group: 'scheduling.k8s.io',
  version: 'v1',
  resource: 'priorityclasses',
  kind: 'PriorityClass',
  namespaced: false,
};

export type PriorityClass = {
  readonly apiVersion: 'scheduling.k8s.io/v1';
  readonly kind: 'PriorityClass';
  readonly metadata: ObjectMeta;
  readonly description?: string;
  readonly globalDefault?: boolean;
  readonly preemptionPolicy?: 'Never' | 'PreemptLowerPriority';
  readonly value?: number;
};
