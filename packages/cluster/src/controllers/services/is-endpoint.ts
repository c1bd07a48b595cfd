import { isIPv4, isIPv6 } from 'node:net';
import type { corev1, Stored } from '@kubewright/kube';
import { isTerminal } from '../workloads/pod-state.ts';

type Pod = Stored<corev1.Pod>;
export type Family = 'IPv4' | 'IPv6';

/** Whether a pod has an address to be published: it runs, or is about to. */
export function isEndpoint({ metadata, status }: Pod, includeTerminating: boolean): boolean {
  if (isTerminal(status?.phase)) return false;
  if ((status?.podIP ?? '') === '' && (status?.podIPs ?? []).length === 0) return false;
  return includeTerminating || metadata.deletionTimestamp === undefined;
}

/** What Endpoints and EndpointSlices tell of a pod in the same words. */
export type Identity = {
  /** By which it is known under its service's name in DNS: of those that ask for it, as pods of StatefulSets do. */
  readonly hostname?: string;
  readonly nodeName?: string;
  readonly targetRef: corev1.ObjectReference;
};

export function identityOf(pod: Pod, service: Stored<corev1.Service>): Identity {
  const { namespace, name, uid } = pod.metadata;
  const { hostname = '', subdomain, nodeName = '' } = pod.spec;
  const isNamed = hostname !== '' && subdomain === service.metadata.name;
  return {
    ...(isNamed ? { hostname } : {}),
    ...(nodeName === '' ? {} : { nodeName }),
    targetRef: { kind: 'Pod', namespace, name, uid },
  };
}

/** The port of the pod that a service's port leads to; undefined if the pod has none of that name. */
export function targetPort(pod: Pod, port: corev1.ServicePort): number | undefined {
  const { targetPort: target } = port;
  if (typeof target === 'number') return target;
  const sidecars = (pod.spec.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always');
  return [...pod.spec.containers, ...sidecars]
    .flatMap(({ ports = [] }) => ports)
    .find(({ name, protocol }) => name === target && protocol === port.protocol)?.containerPort;
}

/** A pod's addresses of one family, as they are usually written. */
export function addressesOf({ status }: Pod, family: Family): readonly string[] {
  const matches = family === 'IPv4' ? isIPv4 : isIPv6;
  const addresses = (status?.podIPs ?? []).map(({ ip }) => canonicalIp(ip));
  return addresses.filter((address) => matches(address));
}

/** IPv4 without leading zeros; IPv6 after RFC 5952, which is how the URL standard writes hosts. */
function canonicalIp(ip: string): string {
  if (isIPv6(ip)) return new URL(`http://[${ip}]/`).hostname.slice(1, -1);
  return ip.replaceAll(/\b0+(?=\d)/g, '');
}

/** A service with an address of its own; without one it is headless. */
export function hasClusterIp({ spec }: Stored<corev1.Service>): boolean {
  return !['', 'None'].includes(spec.clusterIP ?? '');
}
