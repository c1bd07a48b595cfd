import type { corev1, Stored } from '@kubewright/kube';
import { parseQuantity, scaledQuantity } from '@kubewright/kube/quantity';

/** A quantity in thousandths, rounded up. */
export function milli(quantity: string): number {
  return Number(scaledQuantity(parseQuantity(quantity), 3));
}

/**
 * What each pod asks for of a resource, in thousandths: the whole pod, or one of its containers. A pod that does not
 * say makes utilization unknown.
 */
export function requestsOf(
  pods: readonly Stored<corev1.Pod>[],
  container: string,
  resource: string,
): ReadonlyMap<string, number> | { readonly error: string } {
  const requests = new Map<string, number>();
  for (const pod of pods) {
    const own = container === '' ? pod.spec.resources?.requests : undefined;
    const request = own === undefined ? ofContainers(pod, container, resource) : ofPod(pod, own, resource);
    if (typeof request !== 'number') return request;
    requests.set(pod.metadata.name, request);
  }
  return requests;
}

type Requests = Readonly<Record<string, string>>;

/** Resources have the names that users give them. */
const quantityOf = (requests: Requests | undefined, resource: string): string | undefined =>
  requests !== undefined && Object.hasOwn(requests, resource) ? requests[resource] : undefined;

/** A resource that is not said of the pod as a whole is what its containers ask for. */
function ofPod(
  pod: Stored<corev1.Pod>,
  requests: Requests,
  resource: string,
): number | { readonly error: string } {
  const quantity = quantityOf(requests, resource);
  if (quantity !== undefined) return milli(quantity);
  const sum = ofContainers(pod, '', resource);
  if (typeof sum === 'number') return sum;
  return { error: `missing pod-level request for ${resource} in Pod ${pod.metadata.name}` };
}

function ofContainers(
  { metadata, spec }: Stored<corev1.Pod>,
  container: string,
  resource: string,
): number | { readonly error: string } {
  const sidecars = (spec.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always');
  let total = 0;
  for (const { name, resources } of [...spec.containers, ...sidecars]) {
    if (container !== '' && container !== name) continue;
    const quantity = quantityOf(resources?.requests, resource);
    if (quantity === undefined)
      return { error: `missing request for ${resource} in container ${name} of Pod ${metadata.name}` };
    total += milli(quantity);
    if (container === name) return total;
  }
  return container === '' ? total : { error: `container ${container} not found in Pod ${metadata.name}` };
}
