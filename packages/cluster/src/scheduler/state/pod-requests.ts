import type { corev1, Stored } from '@kubewright/kube';
import { addResources, raiseResources, readResources, type Resources } from './resources.ts';

/**
 * What a pod takes of a node: its containers together, or the most that one of its init containers takes while the
 * sidecars before it run, whichever is more; then the requests of the pod itself, and its overhead.
 * https://kubernetes.io/docs/concepts/workloads/pods/init-containers/#resource-sharing-within-containers
 */
export function podRequests({ spec }: Stored<corev1.Pod>): Resources {
  const total = new Map<string, number>();
  for (const container of spec.containers) addResources(total, readResources(container.resources?.requests));
  const sidecars = new Map<string, number>();
  const initial = new Map<string, number>();
  for (const container of spec.initContainers ?? []) {
    const own = readResources(container.resources?.requests);
    if (container.restartPolicy === 'Always') {
      addResources(total, own);
      addResources(sidecars, own);
      raiseResources(initial, sidecars);
    } else {
      const during = new Map(sidecars);
      addResources(during, own);
      raiseResources(initial, during);
    }
  }
  raiseResources(total, initial);
  for (const [name, amount] of readResources(spec.resources?.requests)) total.set(name, amount);
  addResources(total, readResources(spec.overhead));
  return total;
}
