// Made by tools/kinds/generate.ts from the catalogue. Do not edit.
import type { NamespacedMeta, ObjectMeta, ResourceRef } from '../object/kube-object.ts';

export const horizontalpodautoscalers: ResourceRef<HorizontalPodAutoscaler> = {
  group: 'autoscaling',
  version: 'v1',
  resource: 'horizontalpodautoscalers',
  kind: 'HorizontalPodAutoscaler',
  namespaced: true,
};

export type CrossVersionObjectReference = {
  readonly apiVersion?: string;
  readonly kind: string;
  readonly name: string;
};

export type HorizontalPodAutoscaler = {
  readonly apiVersion: 'autoscaling/v1';
  readonly kind: 'HorizontalPodAutoscaler';
  readonly metadata: NamespacedMeta;
  readonly spec: HorizontalPodAutoscalerSpec;
  readonly status?: HorizontalPodAutoscalerStatus;
};

export type HorizontalPodAutoscalerSpec = {
  readonly maxReplicas: number;
  readonly minReplicas?: number;
  readonly scaleTargetRef: CrossVersionObjectReference;
  readonly targetCPUUtilizationPercentage?: number;
};

export type HorizontalPodAutoscalerStatus = {
  readonly currentCPUUtilizationPercentage?: number;
  readonly currentReplicas: number;
  readonly desiredReplicas: number;
  readonly lastScaleTime?: string;
  readonly observedGeneration?: number;
};

export type Scale = {
  readonly apiVersion: 'autoscaling/v1';
  readonly kind: 'Scale';
  readonly metadata: ObjectMeta;
  readonly spec: ScaleSpec;
  readonly status?: ScaleStatus;
};

export type ScaleSpec = {
  readonly replicas?: number;
};

export type ScaleStatus = {
  readonly replicas: number;
  readonly selector?: string;
};
