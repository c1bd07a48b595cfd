import { type corev1, defined, type Stored } from '@kubewright/kube';
import { type PodInfo, portsCollide } from '../state/pod-info.ts';
import { freeOn } from '../state/node-pods.ts';
import type { NodeInfo } from '../state/snapshot.ts';
import { type Filter, type Prepared, type Rejection, unresolvable } from './filter.ts';
import { namedNodes } from '../../scheduling/named-nodes.ts';
import {
  matchesRequiredNodeAffinity,
  requiredTerms,
} from '../../scheduling/matches-required-node-affinity.ts';
import { isTolerated } from '../../scheduling/tolerates.ts';

const CORDONED = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' } as const;

export const nodeUnschedulable: Filter = {
  name: 'NodeUnschedulable',
  prepare({ pod }) {
    if (isTolerated(CORDONED, pod.spec.tolerations)) return {};
    return {
      check: ({ node }) =>
        node.spec.unschedulable === true ? unresolvable('node(s) were unschedulable') : undefined,
    };
  },
};

export const taintToleration: Filter = {
  name: 'TaintToleration',
  prepare: ({ pod }) => ({
    check: ({ node }) =>
      isRepelled(pod, node) ? unresolvable('node(s) had untolerated taint(s)') : undefined,
  }),
};

/** Whether a node has a taint, of those that keep pods away, that the pod does not tolerate. */
export function isRepelled({ spec }: corev1.Pod, { spec: { taints = [] } }: Stored<corev1.Node>): boolean {
  return taints.some((taint) => taint.effect !== 'PreferNoSchedule' && !isTolerated(taint, spec.tolerations));
}

export const nodeAffinity: Filter = {
  name: 'NodeAffinity',
  prepare({ pod }): Prepared {
    const required = requiredTerms(pod);
    if (required === undefined && pod.spec.nodeSelector === undefined) return {};
    const only = required === undefined ? undefined : namedNodes(required);
    return {
      ...defined({ only }),
      check: ({ node }) =>
        matchesRequiredNodeAffinity(pod, node)
          ? undefined
          : unresolvable("node(s) didn't match Pod's node affinity/selector"),
    };
  },
};

export const nodePorts: Filter = {
  name: 'NodePorts',
  prepare({ hostPorts }) {
    if (hostPorts.length === 0) return {};
    const taken = ({ pods }: NodeInfo): boolean =>
      [...pods.values()].some((other) =>
        other.hostPorts.some((theirs) => hostPorts.some((ours) => portsCollide(ours, theirs))),
      );
    const rejection: Rejection = {
      reasons: ["node(s) didn't have free ports for the requested pod ports"],
      resolvable: true,
    };
    return { check: (node) => (taken(node) ? rejection : undefined) };
  },
};

export const nodeResourcesFit: Filter = {
  name: 'NodeResourcesFit',
  prepare: (info) => ({ check: (node) => lacks(info, node) }),
};

function lacks({ requests }: PodInfo, node: NodeInfo): Rejection | undefined {
  const reasons: string[] = [];
  let resolvable = true;
  if (node.pods.size + 1 > (node.allocatable.get('pods') ?? 0)) reasons.push('Too many pods');
  for (const [name, amount] of requests) {
    if (amount === 0 || amount <= freeOn(node, name)) continue;
    reasons.push(`Insufficient ${name}`);
    if (amount > (node.allocatable.get(name) ?? 0)) resolvable = false;
  }
  return reasons.length === 0 ? undefined : { reasons, resolvable };
}
