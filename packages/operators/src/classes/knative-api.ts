import type { corev1, NamespacedMeta, Stored } from '@kubewright/kube';
import type { ResourceRef } from '@kubewright/client';

/** `serving.knative.dev/v1`, as far as it is read and applied here: https://knative.dev/docs/serving/reference/serving-api/ */
export const KNATIVE_API = 'serving.knative.dev/v1';

/** The annotation of a Revision with the fewest pods that it keeps. */
export const MIN_SCALE = 'autoscaling.knative.dev/min-scale';
/** And with the most. */
export const MAX_SCALE = 'autoscaling.knative.dev/max-scale';
/** The label of a Service without an address outside the cluster. */
export const VISIBILITY = 'networking.knative.dev/visibility';

type KnativeCondition = {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason?: string;
  readonly message?: string;
  readonly lastTransitionTime?: string;
  readonly severity?: string;
};

type KnativeStatus = {
  readonly observedGeneration?: number;
  readonly conditions?: readonly KnativeCondition[];
  readonly latestCreatedRevisionName?: string;
  readonly latestReadyRevisionName?: string;
  readonly url?: string;
  readonly address?: { readonly url?: string };
};

/** A Service of Knative: each change of its template is a new Revision, to which traffic moves once it is ready. */
export type KnativeService = {
  readonly apiVersion: typeof KNATIVE_API;
  readonly kind: 'Service';
  readonly metadata: NamespacedMeta;
  readonly spec: {
    readonly template: {
      readonly metadata?: {
        readonly labels?: Readonly<Record<string, string>>;
        readonly annotations?: Readonly<Record<string, string>>;
      };
      readonly spec: {
        readonly containers: readonly corev1.Container[];
        /** Requests that one pod handles at a time; absent or 0: any number. */
        readonly containerConcurrency?: number;
      };
    };
  };
  readonly status?: KnativeStatus;
};

export const KNATIVE_SERVICES: ResourceRef<KnativeService> = {
  group: 'serving.knative.dev',
  version: 'v1',
  resource: 'services',
  kind: 'Service',
  namespaced: true,
};

/** The condition of a type. */
export function knativeCondition(
  { status }: Stored<KnativeService>,
  type: 'Ready' | 'ConfigurationsReady' | 'RoutesReady',
): KnativeCondition | undefined {
  return status?.conditions?.find((condition) => condition.type === type);
}

/** The fewest pods that its next Revision keeps. */
export function minScaleOf({ spec }: Stored<KnativeService>): number {
  return Number(spec.template.metadata?.annotations?.[MIN_SCALE] ?? 0) || 0;
}
