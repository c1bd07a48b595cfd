// Made by tools/kinds/generate.ts from the catalogue. Do not edit.
import type { JsonObject } from '../json/json.ts';
import type { NamespacedMeta, ResourceRef, TemplateOf } from '../object/kube-object.ts';
import type { PersistentVolumeClaim, PodTemplateSpec } from './corev1.data.ts';
import type { LabelSelector } from './metav1.data.ts';

export const controllerrevisions: ResourceRef<ControllerRevision> = {
  group: 'apps',
  version: 'v1',
  resource: 'controllerrevisions',
  kind: 'ControllerRevision',
  namespaced: true,
};
export const daemonsets: ResourceRef<DaemonSet> = {
  group: 'apps',
  version: 'v1',
  resource: 'daemonsets',
  kind: 'DaemonSet',
  namespaced: true,
};
export const deployments: ResourceRef<Deployment> = {
  group: 'apps',
  version: 'v1',
  resource: 'deployments',
  kind: 'Deployment',
  namespaced: true,
};
export const replicasets: ResourceRef<ReplicaSet> = {
  group: 'apps',
  version: 'v1',
  resource: 'replicasets',
  kind: 'ReplicaSet',
  namespaced: true,
};
export const statefulsets: ResourceRef<StatefulSet> = {
  group: 'apps',
  version: 'v1',
  resource: 'statefulsets',
  kind: 'StatefulSet',
  namespaced: true,
};

export type ControllerRevision = {
  readonly apiVersion: 'apps/v1';
  readonly kind: 'ControllerRevision';
  readonly metadata: NamespacedMeta;
  readonly data?: JsonObject;
  readonly revision: number;
};

export type DaemonSet = {
  readonly apiVersion: 'apps/v1';
  readonly kind: 'DaemonSet';
  readonly metadata: NamespacedMeta;
  readonly spec: DaemonSetSpec;
  readonly status?: DaemonSetStatus;
};

export type DaemonSetCondition = {
  readonly lastTransitionTime?: string;
  readonly message?: string;
  readonly reason?: string;
  readonly status: string;
  readonly type: string;
};

export type DaemonSetSpec = {
  readonly minReadySeconds?: number;
  readonly revisionHistoryLimit?: number;
  readonly selector: LabelSelector;
  readonly template: PodTemplateSpec;
  readonly updateStrategy?: DaemonSetUpdateStrategy;
};

export type DaemonSetStatus = {
  readonly collisionCount?: number;
  readonly conditions?: readonly DaemonSetCondition[];
  readonly currentNumberScheduled: number;
  readonly desiredNumberScheduled: number;
  readonly numberAvailable?: number;
  readonly numberMisscheduled: number;
  readonly numberReady: number;
  readonly numberUnavailable?: number;
  readonly observedGeneration?: number;
  readonly updatedNumberScheduled?: number;
};

export type DaemonSetUpdateStrategy = {
  readonly rollingUpdate?: RollingUpdateDaemonSet;
  readonly type?: 'OnDelete' | 'RollingUpdate';
};

export type Deployment = {
  readonly apiVersion: 'apps/v1';
  readonly kind: 'Deployment';
  readonly metadata: NamespacedMeta;
  readonly spec: DeploymentSpec;
  readonly status?: DeploymentStatus;
};

export type DeploymentCondition = {
  readonly lastTransitionTime?: string;
  readonly lastUpdateTime?: string;
  readonly message?: string;
  readonly reason?: string;
  readonly status: string;
  readonly type: string;
};

export type DeploymentSpec = {
  readonly minReadySeconds?: number;
  readonly paused?: boolean;
  readonly progressDeadlineSeconds?: number;
  readonly replicas?: number;
  readonly revisionHistoryLimit?: number;
  readonly selector: LabelSelector;
  readonly strategy?: DeploymentStrategy;
  readonly template: PodTemplateSpec;
};

export type DeploymentStatus = {
  readonly availableReplicas?: number;
  readonly collisionCount?: number;
  readonly conditions?: readonly DeploymentCondition[];
  readonly observedGeneration?: number;
  readonly readyReplicas?: number;
  readonly replicas?: number;
  readonly terminatingReplicas?: number;
  readonly unavailableReplicas?: number;
  readonly updatedReplicas?: number;
};

export type DeploymentStrategy = {
  readonly rollingUpdate?: RollingUpdateDeployment;
  readonly type?: 'Recreate' | 'RollingUpdate';
};

export type ReplicaSet = {
  readonly apiVersion: 'apps/v1';
  readonly kind: 'ReplicaSet';
  readonly metadata: NamespacedMeta;
  readonly spec: ReplicaSetSpec;
  readonly status?: ReplicaSetStatus;
};

export type ReplicaSetCondition = {
  readonly lastTransitionTime?: string;
  readonly message?: string;
  readonly reason?: string;
  readonly status: string;
  readonly type: string;
};

export type ReplicaSetSpec = {
  readonly minReadySeconds?: number;
  readonly replicas?: number;
  readonly selector: LabelSelector;
  readonly template?: PodTemplateSpec;
};

export type ReplicaSetStatus = {
  readonly availableReplicas?: number;
  readonly conditions?: readonly ReplicaSetCondition[];
  readonly fullyLabeledReplicas?: number;
  readonly observedGeneration?: number;
  readonly readyReplicas?: number;
  readonly replicas: number;
  readonly terminatingReplicas?: number;
};

export type RollingUpdateDaemonSet = {
  readonly maxSurge?: number | string;
  readonly maxUnavailable?: number | string;
};

export type RollingUpdateDeployment = {
  readonly maxSurge?: number | string;
  readonly maxUnavailable?: number | string;
};

export type RollingUpdateStatefulSetStrategy = {
  readonly maxUnavailable?: number | string;
  readonly partition?: number;
};

export type StatefulSet = {
  readonly apiVersion: 'apps/v1';
  readonly kind: 'StatefulSet';
  readonly metadata: NamespacedMeta;
  readonly spec: StatefulSetSpec;
  readonly status?: StatefulSetStatus;
};

export type StatefulSetCondition = {
  readonly lastTransitionTime?: string;
  readonly message?: string;
  readonly reason?: string;
  readonly status: string;
  readonly type: string;
};

export type StatefulSetOrdinals = {
  readonly start?: number;
};

export type StatefulSetPersistentVolumeClaimRetentionPolicy = {
  readonly whenDeleted?: string;
  readonly whenScaled?: string;
};

export type StatefulSetSpec = {
  readonly minReadySeconds?: number;
  readonly ordinals?: StatefulSetOrdinals;
  readonly persistentVolumeClaimRetentionPolicy?: StatefulSetPersistentVolumeClaimRetentionPolicy;
  readonly podManagementPolicy?: 'OrderedReady' | 'Parallel';
  readonly replicas?: number;
  readonly revisionHistoryLimit?: number;
  readonly selector: LabelSelector;
  readonly serviceName?: string;
  readonly template: PodTemplateSpec;
  readonly updateStrategy?: StatefulSetUpdateStrategy;
  readonly volumeClaimTemplates?: readonly TemplateOf<PersistentVolumeClaim>[];
};

export type StatefulSetStatus = {
  readonly availableReplicas?: number;
  readonly collisionCount?: number;
  readonly conditions?: readonly StatefulSetCondition[];
  readonly currentReplicas?: number;
  readonly currentRevision?: string;
  readonly observedGeneration?: number;
  readonly readyReplicas?: number;
  readonly replicas: number;
  readonly updateRevision?: string;
  readonly updatedReplicas?: number;
};

export type StatefulSetUpdateStrategy = {
  readonly rollingUpdate?: RollingUpdateStatefulSetStrategy;
  readonly type?: 'OnDelete' | 'RollingUpdate';
};
