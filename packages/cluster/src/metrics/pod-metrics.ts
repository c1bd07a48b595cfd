import { type corev1, formatTime, type JsonObject, type Stored } from '@kubewright/kube';
import { annotatedQuantity } from './annotated-quantity.ts';

/**
 * `PodMetrics` of `metrics.k8s.io/v1beta1`. What the annotations say is used by the first container; the others, and
 * pods that say nothing, use nothing. `window` is a duration as Go writes it.
 */
export function podMetrics(
  pod: Stored<corev1.Pod>,
  { now, window }: { readonly now: number; readonly window: string },
): JsonObject {
  const { name, namespace, labels = {} } = pod.metadata;
  const timestamp = formatTime(new Date(now));
  return {
    kind: 'PodMetrics',
    apiVersion: 'metrics.k8s.io/v1beta1',
    metadata: { name, namespace, creationTimestamp: timestamp, labels },
    timestamp,
    window,
    containers: pod.spec.containers.map((container, index) => ({
      name: container.name,
      usage: {
        cpu: index === 0 ? (annotatedQuantity(pod, 'cpu') ?? '0') : '0',
        memory: index === 0 ? (annotatedQuantity(pod, 'memory') ?? '0') : '0',
      },
    })),
  };
}
