import type { appsv1, autoscalingv2, corev1, Stored } from '@kubewright/kube';
import type { ClassRuntime } from '../api.ts';
import type { ClassLoad } from '../class-load.ts';
import type { Settings } from '../settings.ts';
import type { Desired, Rendered } from '../templates/rendering.ts';
import type { Router } from '../templates/router-of.ts';

export type LiveDeployment = Stored<appsv1.Deployment>;
export type LiveService = Stored<corev1.Service>;
export type Live = LiveDeployment | LiveService;
export type LivePod = Stored<corev1.Pod>;
export type LiveAutoscaler = Stored<autoscalingv2.HorizontalPodAutoscaler>;

/** Everything that a decision about a class depends on, except the time. */
export type ObservedClass = {
  readonly runtime: ClassRuntime;
  readonly settings: Settings;
  readonly rendered: Rendered;
  /** Objects with the class's label, and objects with the name of a desired one. */
  readonly live: readonly Live[];
  readonly pods: readonly LivePod[];
  /** Autoscalers of the class's Deployments, whoever made them; sorted by name. */
  readonly autoscalers?: readonly LiveAutoscaler[];
  /** Kinds whose objects could not be listed or watched lately: what is known of them is old. */
  readonly unobserved?: readonly string[];
  /** Zenoh routers of the namespace; the first is the one that workloads connect to. */
  readonly routers?: readonly Router[];
  /** Absent: nothing was measured since the process started, or nothing can be. */
  readonly load?: ClassLoad | undefined;
};

/** One write. */
export type ClassAction =
  | { readonly type: 'ensureFinalizer' | 'removeFinalizer'; readonly runtime: ClassRuntime }
  | { readonly type: 'apply'; readonly runtime: ClassRuntime; readonly object: Desired }
  | { readonly type: 'delete'; readonly object: Live }
  | ScaleAction
  /** Gives an autoscaler the minimum again that it had. */
  | { readonly type: 'release'; readonly autoscaler: LiveAutoscaler };

/** Sets the replicas of a function's Deployment, or the minimum of its autoscaler. */
export type ScaleAction = {
  readonly type: 'scale';
  readonly runtime: ClassRuntime;
  readonly object: LiveDeployment;
  readonly replicas: number;
  readonly function_key: string;
  readonly autoscaler?: LiveAutoscaler | undefined;
};

export function isSameObject(a: Desired | Live, b: Desired | Live): boolean {
  return a.kind === b.kind && a.metadata.name === b.metadata.name;
}

/** `Deployment/hello` */
export function titleOf({ kind, metadata }: Desired | Live): string {
  return `${kind}/${metadata.name}`;
}
