import type { ApplyConfiguration, appsv1, corev1 } from '@kubewright/kube';
import type { ClassFunction, ClassRuntime, TemplateStatus } from '../api.ts';
import type { Settings } from '../settings.ts';
import type { KnativeService } from '../knative-api.ts';
import type { Router } from './router-of.ts';

type DesiredDeployment = ApplyConfiguration<appsv1.Deployment>;
type DesiredStatefulSet = ApplyConfiguration<appsv1.StatefulSet>;
type DesiredService = ApplyConfiguration<corev1.Service>;
type DesiredKnative = ApplyConfiguration<KnativeService>;
/** What runs a function, or the data grid. */
export type DesiredWorkload = DesiredDeployment | DesiredStatefulSet | DesiredKnative;
export type Desired = DesiredWorkload | DesiredService;

/** A function and its address. */
export type RenderedFunction = {
  readonly key: string;
  /** The Deployment, or Service of Knative, that must be ready for it; absent for a WASM function. */
  readonly workload?: string;
  readonly service: string;
  readonly url: string;
  readonly spec: ClassFunction;
};

export type Rendering = {
  readonly template: string;
  /** Why this template. */
  readonly selection: TemplateStatus;
  readonly functions: readonly RenderedFunction[];
  /** In the order in which they are applied. Each is annotated with its own hash. */
  readonly objects: readonly Desired[];
  /** Hash of all objects: equal class and settings give equal bytes. */
  readonly hash: string;
};

/** What of a cluster its objects depend on. */
export type RenderedFor = {
  /** They connect to the first one. */
  readonly routers?: readonly Router[] | undefined;
  /** The cluster serves Services of Knative. */
  readonly hasKnative?: boolean | undefined;
};

/** The rendered objects of a class, or why it cannot be rendered. */
export type Rendered = Rendering | { readonly error: string };

/** The input of the renderers of single objects. */
export type Place = {
  readonly runtime: ClassRuntime;
  readonly settings: Settings;
  readonly odgmImage: string;
  /** The router that workloads connect to. */
  readonly router?: Router | undefined;
  readonly functions: readonly RenderedFunction[];
  readonly hasOdgm: boolean;
};
