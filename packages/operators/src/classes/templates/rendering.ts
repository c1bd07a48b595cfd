import type { ApplyConfiguration, appsv1, corev1 } from '@kubewright/kube';
import type { ClassFunction, ClassRuntime } from '../api.ts';
import type { Settings } from '../settings.ts';
import type { Template } from './template.ts';

export type DesiredDeployment = ApplyConfiguration<appsv1.Deployment>;
type DesiredService = ApplyConfiguration<corev1.Service>;
export type Desired = DesiredDeployment | DesiredService;

/** A function, and where it is reached. */
export type RenderedFunction = {
  readonly key: string;
  /** The Deployment that has to be ready for it; absent where nothing runs. */
  readonly workload?: string;
  readonly service: string;
  readonly url: string;
  readonly spec: ClassFunction;
};

export type Rendering = {
  readonly template: string;
  readonly functions: readonly RenderedFunction[];
  /** In the order in which they are applied. Each bears the hash of itself. */
  readonly objects: readonly Desired[];
  /** Of all objects: the same class and settings give the same bytes. */
  readonly hash: string;
};

/** What a class is rendered to, or why it cannot be. */
export type Rendered = Rendering | { readonly error: string };

/** What the renderers of single objects know. */
export type Place = {
  readonly runtime: ClassRuntime;
  readonly settings: Settings;
  readonly template: Template;
  readonly functions: readonly RenderedFunction[];
  readonly hasOdgm: boolean;
};
