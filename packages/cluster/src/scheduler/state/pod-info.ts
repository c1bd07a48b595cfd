import { controllerOf, type corev1, type Stored } from '@kubewright/kube';
import { type LabelSelector, matchesLabels } from '@kubewright/kube/selectors';
import { selectorFromLabelSelector } from '@kubewright/kube/selectors';
import { podRequests } from './pod-requests.ts';
import type { Resources } from './resources.ts';

/** A term of pod affinity, ready to be asked. */
export type PodTerm = {
  readonly topologyKey: string;
  readonly selector: LabelSelector;
  readonly namespaces: ReadonlySet<string>;
  /** Of namespaces that the set does not name. */
  readonly namespaceSelector: LabelSelector;
};

/** What the scheduler wants to know of a pod, read once. */
export type PodInfo = {
  readonly pod: Stored<corev1.Pod>;
  readonly uid: string;
  readonly requests: Resources;
  /** `protocol/port/address` of each port of the node that it takes. */
  readonly hostPorts: readonly HostPort[];
  readonly affinity: readonly PodTerm[];
  readonly antiAffinity: readonly PodTerm[];
  /** The uid of its controller, or none. */
  readonly owner: string | undefined;
};

export type HostPort = { readonly port: string; readonly address: string };

const ANY_ADDRESS = '0.0.0.0';

export function podInfoOf(pod: Stored<corev1.Pod>): PodInfo {
  const { affinity } = pod.spec;
  const terms = (of: readonly corev1.PodAffinityTerm[] | undefined): readonly PodTerm[] =>
    (of ?? []).map((term) => podTermOf(term, pod));
  return {
    pod,
    uid: pod.metadata.uid,
    requests: podRequests(pod),
    hostPorts: hostPortsOf(pod),
    affinity: terms(affinity?.podAffinity?.requiredDuringSchedulingIgnoredDuringExecution),
    antiAffinity: terms(affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution),
    owner: controllerOf(pod)?.uid,
  };
}

/** Without namespaces and without a selector of them, a term is about the namespace of its own pod. */
export function podTermOf(term: corev1.PodAffinityTerm, pod: Stored<corev1.Pod>): PodTerm {
  const { namespaces = [], namespaceSelector, topologyKey } = term;
  const own = namespaces.length === 0 && namespaceSelector === undefined;
  return {
    topologyKey,
    selector: selectorFromLabelSelector(term.labelSelector),
    namespaces: new Set(own ? [pod.metadata.namespace] : namespaces),
    namespaceSelector: selectorFromLabelSelector(namespaceSelector),
  };
}

/** `labelsOf` tells the labels of a namespace. */
export function termSelects(
  { selector, namespaces, namespaceSelector }: PodTerm,
  { metadata }: Stored<corev1.Pod>,
  labelsOf: (namespace: string) => Readonly<Record<string, string>> | undefined,
): boolean {
  const { namespace, labels } = metadata;
  const near =
    namespaces.has(namespace) ||
    (namespaceSelector !== 'nothing' && matchesLabels(namespaceSelector, labelsOf(namespace)));
  return near && matchesLabels(selector, labels);
}

function hostPortsOf({ spec }: Stored<corev1.Pod>): readonly HostPort[] {
  const sidecars = (spec.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always');
  return [...spec.containers, ...sidecars].flatMap(({ ports = [] }) =>
    ports.flatMap(({ hostPort = 0, protocol = 'TCP', hostIP = '' }) =>
      hostPort > 0
        ? [{ port: `${protocol}/${hostPort}`, address: hostIP === '' ? ANY_ADDRESS : hostIP }]
        : [],
    ),
  );
}

/** Whether two pods want the same port of a node, at an address that both have. */
export function portsCollide(a: HostPort, b: HostPort): boolean {
  const sameAddress = a.address === b.address || a.address === ANY_ADDRESS || b.address === ANY_ADDRESS;
  return a.port === b.port && sameAddress;
}
