// Made by tools/kinds/generate.ts from the catalogue. Do not edit.
import type { NamespacedMeta, ObjectMeta, ResourceRef } from '../object/kube-object.ts';
import type { ObjectReference, PodTemplateSpec } from './corev1.data.ts';
import type { LabelSelector } from './metav1.data.ts';

export const cronjobs: ResourceRef<CronJob> = {
  group: 'batch',
  version: 'v1',
  resource: 'cronjobs',
  kind: 'CronJob',
  namespaced: true,
};
export const jobs: ResourceRef<Job> = {
  group: 'batch',
  version: 'v1',
  resource: 'jobs',
  kind: 'Job',
  namespaced: true,
};

export type CronJob = {
  readonly apiVersion: 'batch/v1';
  readonly kind: 'CronJob';
  readonly metadata: NamespacedMeta;
  readonly spec: CronJobSpec;
  readonly status?: CronJobStatus;
};

export type CronJobSpec = {
  readonly concurrencyPolicy?: 'Allow' | 'Forbid' | 'Replace';
  readonly failedJobsHistoryLimit?: number;
  readonly jobTemplate: JobTemplateSpec;
  readonly schedule: string;
  readonly startingDeadlineSeconds?: number;
  readonly successfulJobsHistoryLimit?: number;
  readonly suspend?: boolean;
  readonly timeZone?: string;
};

export type CronJobStatus = {
  readonly active?: readonly ObjectReference[];
  readonly lastScheduleTime?: string;
  readonly lastSuccessfulTime?: string;
};

export type Job = {
  readonly apiVersion: 'batch/v1';
  readonly kind: 'Job';
  readonly metadata: NamespacedMeta;
  readonly spec: JobSpec;
  readonly status?: JobStatus;
};

export type JobCondition = {
  readonly lastProbeTime?: string;
  readonly lastTransitionTime?: string;
  readonly message?: string;
  readonly reason?: string;
  readonly status: string;
  readonly type: string;
};

export type JobSpec = {
  readonly activeDeadlineSeconds?: number;
  readonly backoffLimit?: number;
  readonly backoffLimitPerIndex?: number;
  readonly completionMode?: 'Indexed' | 'NonIndexed';
  readonly completions?: number;
  readonly managedBy?: string;
  readonly manualSelector?: boolean;
  readonly maxFailedIndexes?: number;
  readonly parallelism?: number;
  readonly podFailurePolicy?: PodFailurePolicy;
  readonly podReplacementPolicy?: 'Failed' | 'TerminatingOrFailed';
  readonly selector?: LabelSelector;
  readonly successPolicy?: SuccessPolicy;
  readonly suspend?: boolean;
  readonly template: PodTemplateSpec;
  readonly ttlSecondsAfterFinished?: number;
};

export type JobStatus = {
  readonly active?: number;
  readonly completedIndexes?: string;
  readonly completionTime?: string;
  readonly conditions?: readonly JobCondition[];
  readonly failed?: number;
  readonly failedIndexes?: string;
  readonly ready?: number;
  readonly startTime?: string;
  readonly succeeded?: number;
  readonly terminating?: number;
  readonly uncountedTerminatedPods?: UncountedTerminatedPods;
};

export type JobTemplateSpec = {
  readonly metadata?: ObjectMeta;
  readonly spec?: JobSpec;
};

export type PodFailurePolicy = {
  readonly rules: readonly PodFailurePolicyRule[];
};

export type PodFailurePolicyOnExitCodesRequirement = {
  readonly containerName?: string;
  readonly operator: 'In' | 'NotIn';
  readonly values: readonly number[];
};

export type PodFailurePolicyOnPodConditionsPattern = {
  readonly status?: string;
  readonly type: string;
};

export type PodFailurePolicyRule = {
  readonly action: 'Count' | 'FailIndex' | 'FailJob' | 'Ignore';
  readonly onExitCodes?: PodFailurePolicyOnExitCodesRequirement;
  readonly onPodConditions?: readonly PodFailurePolicyOnPodConditionsPattern[];
};

export type SuccessPolicy = {
  readonly rules: readonly SuccessPolicyRule[];
};

export type SuccessPolicyRule = {
  readonly succeededCount?: number;
  readonly succeededIndexes?: string;
};

export type UncountedTerminatedPods = {
  readonly failed?: readonly string[];
  readonly succeeded?: readonly string[];
};
