import { canonicalJson, type corev1, type discoveryv1, jsonEqual, type Stored } from '@kubewright/kube';
import { type Family, hasClusterIp } from '../services/is-endpoint.ts';

type Labels = Readonly<Record<string, string>>;
type Slice = discoveryv1.EndpointSlice;

/** Who looks after a slice; also the value of {@link MANAGED_BY}. */
export const MANAGER = 'endpointslice-controller.k8s.io';
export const MANAGED_BY = 'endpointslice.kubernetes.io/managed-by';
export const SERVICE_NAME = 'kubernetes.io/service-name';
const HEADLESS = 'service.kubernetes.io/headless';
const RESERVED = [SERVICE_NAME, MANAGED_BY, HEADLESS];

/** A slice without endpoints, to be named by the server. */
export function newSlice(
  service: Stored<corev1.Service>,
  addressType: Family,
  ports: readonly discoveryv1.EndpointPort[],
): Slice {
  const { namespace, name, uid } = service.metadata;
  const owner = { apiVersion: 'v1', kind: 'Service', name, uid, controller: true, blockOwnerDeletion: true };
  return {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: {
      namespace,
      generateName: `${name}-`,
      labels: labelsFor(service),
      ownerReferences: [owner],
    },
    addressType,
    endpoints: [],
    ports,
  };
}

/** Those of the service, and whose the slice is. */
export function labelsFor(service: Stored<corev1.Service>): Labels {
  return {
    ...unreserved(service.metadata.labels),
    ...(hasClusterIp(service) ? {} : { [HEADLESS]: '' }),
    [SERVICE_NAME]: service.metadata.name,
    [MANAGED_BY]: MANAGER,
  };
}

/** Of the labels that only slices have nothing follows. */
export function hasLabelsOf(slice: Slice, service: Stored<corev1.Service>): boolean {
  return jsonEqual(unreserved(slice.metadata.labels), unreserved(service.metadata.labels));
}

function unreserved(labels: Labels = {}): Labels {
  return Object.fromEntries(Object.entries(labels).filter(([key]) => !RESERVED.includes(key)));
}

export function isOwnedBy({ metadata }: Slice, service: Stored<corev1.Service>): boolean {
  return (metadata.ownerReferences ?? []).some(
    ({ uid, kind, apiVersion }) => uid === service.metadata.uid && kind === 'Service' && apiVersion === 'v1',
  );
}

/** Same for the same ports in any order; the server writes none as `null`. */
export function portKey(ports: readonly discoveryv1.EndpointPort[] | null | undefined): string {
  return canonicalJson((ports ?? []).map((port) => canonicalJson(port)).sort());
}

/** An endpoint's identity: all that makes two of one pod different endpoints. */
export function endpointKey({ addresses, hostname = '', targetRef }: discoveryv1.Endpoint): string {
  const { namespace = '', name = '' } = targetRef ?? {};
  return canonicalJson([[...addresses].sort(), hostname, namespace, name]);
}
