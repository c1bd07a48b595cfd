import type { History, Written } from '@kubewright/cluster';
import type { appsv1, autoscalingv2, batchv1, corev1, discoveryv1 } from '@kubewright/kube';

type Kinds = {
  readonly pods: corev1.Pod;
  readonly endpoints: corev1.Endpoints;
  readonly endpointslices: discoveryv1.EndpointSlice;
  readonly deployments: appsv1.Deployment;
  readonly horizontalpodautoscalers: autoscalingv2.HorizontalPodAutoscaler;
  readonly cronjobs: batchv1.CronJob;
  readonly statefulsets: appsv1.StatefulSet;
  readonly jobs: batchv1.Job;
};
export type Past = Pick<History, 'all'>;
export type WrittenAs<R extends keyof Kinds> = Written & { readonly object: Kinds[R] };

export function isOf<R extends keyof Kinds>(resource: R, write: Written): write is WrittenAs<R> {
  return write.resource === resource;
}

/** The writes of one resource, with their objects as they are. */
export function writesOf<R extends keyof Kinds>(history: Past, resource: R): readonly WrittenAs<R>[] {
  return history.all.filter((write): write is WrittenAs<R> => isOf(resource, write));
}
