import { type corev1, defined, type discoveryv1, type Stored } from '@kubewright/kube';
import { addressesOf, type Family, identityOf, isEndpoint, targetPort } from '../services/is-endpoint.ts';
import { isReady } from '../workloads/pod-state.ts';
import { endpointKey, portKey } from './new-slice.ts';

const ZONE = 'topology.kubernetes.io/zone';

export type Observed = {
  readonly service: Stored<corev1.Service>;
  /** Those that it selects. */
  readonly pods: readonly Stored<corev1.Pod>[];
  /** Those in the controller's care that are said to be the service's. */
  readonly slices: readonly discoveryv1.EndpointSlice[];
  readonly node: (name: string) => Stored<corev1.Node> | undefined;
};

/** Endpoints that are reached at the same ports. */
export type Group = {
  readonly ports: readonly discoveryv1.EndpointPort[];
  /** By {@link endpointKey}. */
  readonly endpoints: Map<string, discoveryv1.Endpoint>;
};

export type Desired = {
  /** By {@link portKey}. */
  readonly groups: ReadonlyMap<string, Group>;
  /** Names of pods that are left out because their node is not known. */
  readonly lost: readonly Stored<corev1.Pod>[];
};

/** The endpoints that there should be of one family. */
export function desiredEndpoints({ service, pods, node }: Observed, family: Family): Desired {
  const groups = new Map<string, Group>();
  const lost: Stored<corev1.Pod>[] = [];
  for (const pod of pods) {
    if (!isEndpoint(pod, true)) continue;
    const ports = portsOf(service, pod);
    const key = portKey(ports);
    const group = groups.get(key) ?? { ports, endpoints: new Map() };
    groups.set(key, group);
    const home = node(pod.spec.nodeName ?? '');
    if (home === undefined && service.spec?.publishNotReadyAddresses !== true) {
      lost.push(pod);
      continue;
    }
    const endpoint = endpointOf(service, pod, { home, family });
    if (endpoint.addresses.length > 0) group.endpoints.set(endpointKey(endpoint), endpoint);
  }
  return { groups, lost };
}

function portsOf(
  { spec }: Stored<corev1.Service>,
  pod: Stored<corev1.Pod>,
): readonly discoveryv1.EndpointPort[] {
  return (spec?.ports ?? []).flatMap((port) => {
    const number = targetPort(pod, port);
    if (number === undefined) return [];
    const { name = '', protocol = 'TCP', appProtocol } = port;
    return [{ name, port: number, protocol, ...defined({ appProtocol }) }];
  });
}

type Where = { readonly home: Stored<corev1.Node> | undefined; readonly family: Family };

function endpointOf(
  service: Stored<corev1.Service>,
  pod: Stored<corev1.Pod>,
  { home, family }: Where,
): discoveryv1.Endpoint {
  const [serving, terminating] = [isReady(pod), pod.metadata.deletionTimestamp !== undefined];
  const ready = service.spec?.publishNotReadyAddresses === true || (serving && !terminating);
  const zone = home?.metadata.labels?.[ZONE] ?? '';
  return {
    addresses: addressesOf(pod, family),
    conditions: { ready, serving, terminating },
    ...identityOf(pod, service),
    ...(zone === '' ? {} : { zone }),
  };
}
