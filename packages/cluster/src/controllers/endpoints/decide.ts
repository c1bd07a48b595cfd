import { canonicalJson, type corev1, defined, jsonEqual, type Stored } from '@kubewright/kube';
import { addressesOf, hasClusterIp, identityOf, isEndpoint, targetPort } from '../services/is-endpoint.ts';
import { withTriggerTime } from '../services/with-trigger-time.ts';
import { isReady } from '../workloads/pod-state.ts';
import { repack } from './repack.ts';
import { truncate } from './truncate.ts';

type Labels = Readonly<Record<string, string>>;
type Service = Stored<corev1.Service>;

export type Observed = {
  readonly service: Service;
  /** Those that it selects. */
  readonly pods: readonly Stored<corev1.Pod>[];
  readonly current: corev1.Endpoints | undefined;
  /** When the change happened that leads here, in milliseconds since the epoch, if it is known. */
  readonly triggerTime: number | undefined;
};

const HEADLESS = 'service.kubernetes.io/headless';
const MANAGED_BY = 'endpoints.kubernetes.io/managed-by';
const MANAGER = 'endpoint-controller';
const OVER_CAPACITY = 'endpoints.kubernetes.io/over-capacity';

/** A service's Endpoints as they should be written; undefined when they are good. */
export function decide({ service, pods, current, triggerTime }: Observed): corev1.Endpoints | undefined {
  const all = repack(pods.flatMap((pod) => subsetsOf(service, pod)));
  const subsets = truncate(all);
  const over = subsets !== all;
  if (current !== undefined && isGood(current, { service, subsets, over })) return undefined;
  const { metadata } = current ?? newEndpoints(service);
  const { [OVER_CAPACITY]: _, ...annotations } = metadata.annotations ?? {};
  const capacity = over ? { [OVER_CAPACITY]: 'truncated' } : {};
  const written = { ...metadata, labels: labelsFor(service), annotations: { ...annotations, ...capacity } };
  return {
    apiVersion: 'v1',
    kind: 'Endpoints',
    metadata: withTriggerTime(written, triggerTime),
    ...(subsets.length === 0 ? {} : { subsets }),
  };
}

function newEndpoints({ metadata: { namespace, name } }: Service): Pick<corev1.Endpoints, 'metadata'> {
  return { metadata: { namespace, name } };
}

/** One pod at each port of the service that it has; a headless service may have no ports. */
function subsetsOf(service: Service, pod: Stored<corev1.Pod>): readonly corev1.EndpointSubset[] {
  const { publishNotReadyAddresses = false, ports = [], clusterIP } = service.spec ?? {};
  const address = addressOf(service, pod);
  if (address === undefined || !isEndpoint(pod, publishNotReadyAddresses)) return [];
  const where =
    publishNotReadyAddresses || isReady(pod) ? { addresses: [address] } : { notReadyAddresses: [address] };
  if (ports.length === 0) return clusterIP === 'None' ? [where] : [];
  return ports.flatMap((port) => {
    const number = targetPort(pod, port);
    return number === undefined ? [] : [{ ...where, ports: [portOf(port, number)] }];
  });
}

function addressOf(service: Service, pod: Stored<corev1.Pod>): corev1.EndpointAddress | undefined {
  const family = service.spec?.ipFamilies?.[0] === 'IPv6' ? 'IPv6' : 'IPv4';
  const [ip] = addressesOf(pod, family);
  if (ip === undefined) return undefined;
  return { ip, ...identityOf(pod, service) };
}

function portOf({ name = '', protocol, appProtocol }: corev1.ServicePort, port: number): corev1.EndpointPort {
  return {
    ...(name === '' ? {} : { name }),
    port,
    ...defined({ protocol, appProtocol }),
  };
}

function labelsFor(service: Service): Labels {
  const { [HEADLESS]: _, ...labels } = service.metadata.labels ?? {};
  return { ...labels, ...(hasClusterIp(service) ? {} : { [HEADLESS]: '' }), [MANAGED_BY]: MANAGER };
}

type Wanted = {
  readonly service: Service;
  readonly subsets: readonly corev1.EndpointSubset[];
  readonly over: boolean;
};

/** The order of addresses and ports is another writer's business, and so is whether it calls them headless. */
function isGood({ metadata, subsets = [] }: corev1.Endpoints, wanted: Wanted): boolean {
  const labels = labelsFor(wanted.service);
  return (
    canonicalJson(repack(subsets).map(withoutVersions)) === canonicalJson(wanted.subsets) &&
    jsonEqual(withoutHeadless(metadata.labels ?? {}), withoutHeadless(labels)) &&
    (metadata.annotations?.[OVER_CAPACITY] !== undefined) === wanted.over
  );
}

function withoutHeadless(all: Labels): Labels {
  const { [HEADLESS]: _, ...labels } = all;
  return labels;
}

/** Others may write which version of a pod they have seen. */
function withoutVersions(subset: corev1.EndpointSubset): corev1.EndpointSubset {
  const strip = (address: corev1.EndpointAddress): corev1.EndpointAddress => {
    if (address.targetRef === undefined) return address;
    const { resourceVersion: _, ...targetRef } = address.targetRef;
    return { ...address, targetRef };
  };
  const { addresses, notReadyAddresses } = subset;
  return {
    ...subset,
    ...(addresses === undefined ? {} : { addresses: addresses.map(strip) }),
    ...(notReadyAddresses === undefined ? {} : { notReadyAddresses: notReadyAddresses.map(strip) }),
  };
}
