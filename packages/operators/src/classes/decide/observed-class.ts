import { type appsv1, type autoscalingv2, type corev1, parseApiVersion, type Stored } from '@kubewright/kube';
import type { ClassRuntime, Resource } from '../api.ts';
import type { Size } from '../size-of.ts';
import type { ClassLoad } from '../class-load.ts';
import type { GridHealth } from '../grid/grid-health.ts';
import type { KnativeService } from '../knative-api.ts';
import type { Settings } from '../settings.ts';
import type { Desired, Rendered } from '../templates/rendering.ts';
import type { Router } from '../templates/router-of.ts';

export type LiveDeployment = Stored<appsv1.Deployment>;
export type LiveStatefulSet = Stored<appsv1.StatefulSet>;
export type LiveService = Stored<corev1.Service>;
export type LiveKnative = Stored<KnativeService>;
export type Live = LiveDeployment | LiveStatefulSet | LiveService | LiveKnative;
/** What runs a function, and can be scaled. */
export type LiveWorkload = LiveDeployment | LiveKnative;
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
  /** What the data grid was last found to be; absent where it is not asked. */
  readonly grid?: GridHealth | undefined;
  /** Absent: nothing was measured since the process started, or nothing can be. */
  readonly load?: ClassLoad | undefined;
};

/** One write. */
export type ClassAction =
  | { readonly type: 'ensureFinalizer' | 'removeFinalizer'; readonly runtime: ClassRuntime }
  /** `isMissing`: it was applied before, and is gone. */
  | {
      readonly type: 'apply';
      readonly runtime: ClassRuntime;
      readonly object: Desired;
      readonly isMissing?: true;
    }
  /** `isOrphan`: the class is there, and no longer has it. */
  | { readonly type: 'delete'; readonly object: Live; readonly isOrphan?: true }
  | ScaleAction
  | ResizeAction
  /** Removes what the enforcer of a resource has set. */
  | { readonly type: 'unsize'; readonly object: LiveDeployment; readonly resource: Resource }
  /** Gives an autoscaler the minimum again that it had. */
  | { readonly type: 'release'; readonly autoscaler: LiveAutoscaler };

/** Sets the replicas of a function's Deployment, the minimum of its autoscaler, or that of its Service of Knative. */
export type ScaleAction = {
  readonly type: 'scale';
  readonly runtime: ClassRuntime;
  readonly object: LiveWorkload;
  readonly replicas: number;
  readonly function_key: string;
  readonly autoscaler?: LiveAutoscaler | undefined;
};

/** Sets what the container of a function asks for, and may use at most. */
export type ResizeAction = {
  readonly type: 'resize';
  readonly runtime: ClassRuntime;
  readonly object: LiveDeployment;
  readonly resource: Resource;
  readonly size: Size;
  readonly function_key: string;
};

export function isSameObject(a: Desired | Live, b: Desired | Live): boolean {
  return a.apiVersion === b.apiVersion && a.kind === b.kind && a.metadata.name === b.metadata.name;
}

export function isWorkload<T extends Desired | Live>(
  object: T,
): object is Exclude<T, { readonly apiVersion: 'v1' }> {
  return object.apiVersion !== 'v1';
}

/** Whether it runs a function: data grids may be StatefulSets. */
export function isScalable(object: Live): object is LiveWorkload {
  return object.apiVersion !== 'v1' && object.kind !== 'StatefulSet';
}

/** `Deployment/hello`; `Service.serving.knative.dev/hello` of Knative. */
export function titleOf(object: Desired | Live): string {
  return `${kindOf(object)}/${object.metadata.name}`;
}

export function kindOf({ apiVersion, kind }: Desired | Live): string {
  return kindText({ ...parseApiVersion(apiVersion), kind });
}

/** `Deployment`; with its group where another kind has the same name. */
export function kindText({ group, kind }: { readonly group: string; readonly kind: string }): string {
  return kind === 'Service' && group !== '' ? `${kind}.${group}` : kind;
}
