// Made by tools/kinds/generate.ts from the catalogue. Do not edit.
import type { NamespacedMeta, ResourceRef } from '../object/kube-object.ts';
import type { LabelSelector } from './metav1.data.ts';

export const horizontalpodautoscalers: ResourceRef<HorizontalPodAutoscaler> = {
  group: 'autoscaling',
  version: 'v2',
  resource: 'horizontalpodautoscalers',
  kind: 'HorizontalPodAutoscaler',
  namespaced: true,
};

export type ContainerResourceMetricSource = {
  readonly container: string;
  readonly name: string;
  readonly target: MetricTarget;
};

export type ContainerResourceMetricStatus = {
  readonly container: string;
  readonly current: MetricValueStatus;
  readonly name: string;
};

export type CrossVersionObjectReference = {
  readonly apiVersion?: string;
  readonly kind: string;
  readonly name: string;
};

export type ExternalMetricSource = {
  readonly metric: MetricIdentifier;
  readonly target: MetricTarget;
};

export type ExternalMetricStatus = {
  readonly current: MetricValueStatus;
  readonly metric: MetricIdentifier;
};

export type HPAScalingPolicy = {
  readonly periodSeconds: number;
  readonly type: string;
  readonly value: number;
};

export type HPAScalingRules = {
  readonly policies?: readonly HPAScalingPolicy[];
  readonly selectPolicy?: string;
  readonly stabilizationWindowSeconds?: number;
  readonly tolerance?: string;
};

export type HorizontalPodAutoscaler = {
  readonly apiVersion: 'autoscaling/v2';
  readonly kind: 'HorizontalPodAutoscaler';
  readonly metadata: NamespacedMeta;
  readonly spec: HorizontalPodAutoscalerSpec;
  readonly status?: HorizontalPodAutoscalerStatus;
};

export type HorizontalPodAutoscalerBehavior = {
  readonly scaleDown?: HPAScalingRules;
  readonly scaleUp?: HPAScalingRules;
};

export type HorizontalPodAutoscalerCondition = {
  readonly lastTransitionTime?: string;
  readonly message?: string;
  readonly reason?: string;
  readonly status: string;
  readonly type: string;
};

export type HorizontalPodAutoscalerSpec = {
  readonly behavior?: HorizontalPodAutoscalerBehavior;
  readonly maxReplicas: number;
  readonly metrics?: readonly MetricSpec[];
  readonly minReplicas?: number;
  readonly scaleTargetRef: CrossVersionObjectReference;
};

export type HorizontalPodAutoscalerStatus = {
  readonly conditions?: readonly HorizontalPodAutoscalerCondition[];
  readonly currentMetrics?: readonly MetricStatus[];
  readonly currentReplicas?: number;
  readonly desiredReplicas: number;
  readonly lastScaleTime?: string;
  readonly observedGeneration?: number;
};

export type MetricIdentifier = {
  readonly name: string;
  readonly selector?: LabelSelector;
};

export type MetricSpec = {
  readonly containerResource?: ContainerResourceMetricSource;
  readonly external?: ExternalMetricSource;
  readonly object?: ObjectMetricSource;
  readonly pods?: PodsMetricSource;
  readonly resource?: ResourceMetricSource;
  readonly type: string;
};

export type MetricStatus = {
  readonly containerResource?: ContainerResourceMetricStatus;
  readonly external?: ExternalMetricStatus;
  readonly object?: ObjectMetricStatus;
  readonly pods?: PodsMetricStatus;
  readonly resource?: ResourceMetricStatus;
  readonly type: string;
};

export type MetricTarget = {
  readonly averageUtilization?: number;
  readonly averageValue?: string;
  readonly type: string;
  readonly value?: string;
};

export type MetricValueStatus = {
  readonly averageUtilization?: number;
  readonly averageValue?: string;
  readonly value?: string;
};

export type ObjectMetricSource = {
  readonly describedObject: CrossVersionObjectReference;
  readonly metric: MetricIdentifier;
  readonly target: MetricTarget;
};

export type ObjectMetricStatus = {
  readonly current: MetricValueStatus;
  readonly describedObject: CrossVersionObjectReference;
  readonly metric: MetricIdentifier;
};

export type PodsMetricSource = {
  readonly metric: MetricIdentifier;
  readonly target: MetricTarget;
};

export type PodsMetricStatus = {
  readonly current: MetricValueStatus;
  readonly metric: MetricIdentifier;
};

export type ResourceMetricSource = {
  readonly name: string;
  readonly target: MetricTarget;
};

export type ResourceMetricStatus = {
  readonly current: MetricValueStatus;
  readonly name: string;
};
