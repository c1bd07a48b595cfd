// Made by tools/kinds/generate.ts from the catalogue. Do not edit.
import type { NamespacedMeta, ObjectMeta, ResourceRef } from '../object/kube-object.ts';
import type { Condition, DeleteOptions, LabelSelector } from './metav1.data.ts';

export const poddisruptionbudgets: ResourceRef<PodDisruptionBudget> = {
  group: 'policy',
  version: 'v1',
  resource: 'poddisruptionbudgets',
  kind: 'PodDisruptionBudget',
  namespaced: true,
};

export type Eviction = {
  readonly apiVersion: 'policy/v1';
  readonly kind: 'Eviction';
  readonly metadata: ObjectMeta;
  readonly deleteOptions?: DeleteOptions;
};

export type PodDisruptionBudget = {
  readonly apiVersion: 'policy/v1';
  readonly kind: 'PodDisruptionBudget';
  readonly metadata: NamespacedMeta;
  readonly spec: PodDisruptionBudgetSpec;
  readonly status?: PodDisruptionBudgetStatus;
};

export type PodDisruptionBudgetSpec = {
  readonly maxUnavailable?: number | string;
  readonly minAvailable?: number | string;
  readonly selector?: LabelSelector;
  readonly unhealthyPodEvictionPolicy?: 'AlwaysAllow' | 'IfHealthyBudget';
};

export type PodDisruptionBudgetStatus = {
  readonly conditions?: readonly Condition[];
  readonly currentHealthy?: number;
  readonly desiredHealthy?: number;
  readonly disruptedPods?: { readonly [key: string]: string };
  readonly disruptionsAllowed?: number;
  readonly expectedPods?: number;
  readonly observedGeneration?: number;
};
