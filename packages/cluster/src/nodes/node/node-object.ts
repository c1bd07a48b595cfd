import { KUBERNETES_VERSION } from '@kubewright/apiserver';
import {
  type coordinationv1,
  type corev1,
  defined,
  formatMicroTime,
  ownerReferenceTo,
  type Stored,
} from '@kubewright/kube';
import { timeText } from '../pods/status/container-status.ts';
import type { NodeOptions } from './node-options.ts';

/** What a node is, as far as its object says it. */
export type NodeFacts = NodeOptions & {
  readonly address: string;
  readonly podCIDR: string;
  /** `containerRuntimeVersion`. */
  readonly runtime: string;
};

const CAPACITY = { cpu: '8', 'ephemeral-storage': '100Gi', memory: '32Gi', pods: '110' };
/** A kubelet's words for a node that is well. */
const CONDITIONS: readonly Pick<corev1.NodeCondition, 'type' | 'status' | 'reason' | 'message'>[] = [
  {
    type: 'MemoryPressure',
    status: 'False',
    reason: 'KubeletHasSufficientMemory',
    message: 'kubelet has sufficient memory available',
  },
  {
    type: 'DiskPressure',
    status: 'False',
    reason: 'KubeletHasNoDiskPressure',
    message: 'kubelet has no disk pressure',
  },
  {
    type: 'PIDPressure',
    status: 'False',
    reason: 'KubeletHasSufficientPID',
    message: 'kubelet has sufficient PID available',
  },
  { type: 'Ready', status: 'True', reason: 'KubeletReady', message: 'kubelet is posting ready status' },
];

/** Volumes are attached by the cluster's controller, the default of kubelets. */
const MANAGED_ATTACH = 'volumes.kubernetes.io/controller-managed-attach-detach';

/** The Node as a kubelet registers it. */
export function nodeObject(facts: NodeFacts, now: number): corev1.Node {
  const { name, labels = {}, annotations, taints, podCIDR } = facts;
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      labels: { ...defaultLabels(name), ...labels },
      annotations: { [MANAGED_ATTACH]: 'true', ...annotations },
    },
    spec: { podCIDR, podCIDRs: [podCIDR], ...defined({ taints }) },
    status: nodeStatus(facts, undefined, now),
  };
}

function defaultLabels(name: string): Readonly<Record<string, string>> {
  return {
    'beta.kubernetes.io/arch': 'amd64',
    'beta.kubernetes.io/os': 'linux',
    'kubernetes.io/arch': 'amd64',
    'kubernetes.io/hostname': name,
    'kubernetes.io/os': 'linux',
  };
}

/** The status as it should be now. Conditions that did not change keep their time. */
export function nodeStatus(
  facts: NodeFacts,
  live: Stored<corev1.Node> | undefined,
  now: number,
): corev1.NodeStatus {
  const { name, address, kubeletPort, capacity = {} } = facts;
  const all = { ...CAPACITY, ...capacity };
  const time = timeText(now);
  return {
    addresses: [
      { type: 'InternalIP', address },
      { type: 'Hostname', address: name },
    ],
    capacity: all,
    allocatable: all,
    conditions: CONDITIONS.map((condition) => {
      const old = live?.status?.conditions?.find(({ type }) => type === condition.type);
      const since = old?.status === condition.status ? old.lastTransitionTime : undefined;
      return { ...condition, lastHeartbeatTime: time, lastTransitionTime: since ?? time };
    }),
    daemonEndpoints: { kubeletEndpoint: { Port: kubeletPort ?? 0 } },
    nodeInfo: nodeInfo(facts),
  };
}

function nodeInfo({ name, runtime }: NodeFacts): corev1.NodeSystemInfo {
  return {
    architecture: 'amd64',
    bootID: name,
    containerRuntimeVersion: runtime,
    kernelVersion: '6.6.0',
    kubeProxyVersion: '',
    kubeletVersion: KUBERNETES_VERSION,
    machineID: name,
    operatingSystem: 'linux',
    osImage: 'Kubewright simulated node',
    systemUUID: name,
  };
}

export const LEASE_NAMESPACE = 'kube-node-lease';

/** The Lease by which the control plane knows that the node is alive. */
export function nodeLease(
  node: Stored<corev1.Node>,
  live: Stored<coordinationv1.Lease> | undefined,
  { now, durationSeconds }: { readonly now: number; readonly durationSeconds: number },
): coordinationv1.Lease {
  const { name } = node.metadata;
  const metadata = live?.metadata ?? {
    name,
    namespace: LEASE_NAMESPACE,
    ownerReferences: [ownerReferenceTo(node)],
  };
  const renewTime = formatMicroTime(new Date(now));
  const spec = { ...live?.spec, holderIdentity: name, leaseDurationSeconds: durationSeconds, renewTime };
  return { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata, spec };
}
