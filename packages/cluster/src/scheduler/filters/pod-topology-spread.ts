import type { corev1, Stored } from '@kubewright/kube';
import { type LabelSelector, matchesLabels, selectorFromLabelSelector } from '@kubewright/kube/selectors';
import type { PodInfo } from '../state/pod-info.ts';
import type { NodeInfo, Snapshot } from '../state/snapshot.ts';
import { type Check, type Filter, type Rejection, unresolvable } from './filter.ts';
import { matchesRequiredNodeAffinity } from '../../scheduling/matches-required-node-affinity.ts';
import { isRepelled } from './node-filters.ts';

type Constraint = corev1.TopologySpreadConstraint;

const TOO_UNEVEN = "node(s) didn't match pod topology spread constraints";
const UNEVEN: Rejection = { reasons: [TOO_UNEVEN], resolvable: true };

export const podTopologySpread: Filter = {
  name: 'PodTopologySpread',
  prepare(info, snapshot) {
    const constraints = (info.pod.spec.topologySpreadConstraints ?? []).filter(
      ({ whenUnsatisfiable }) => whenUnsatisfiable === 'DoNotSchedule',
    );
    if (constraints.length === 0) return {};
    const counted = constraints.map((constraint) => count(constraint, info, snapshot));
    const check: Check = (node) => {
      for (const [at, constraint] of constraints.entries()) {
        const rejection = counted[at]?.(node, constraint);
        if (rejection !== undefined) return rejection;
      }
      return undefined;
    };
    return { check };
  },
};

/** Counts the pods that a constraint is about in each domain, once. */
function count(
  constraint: Constraint,
  info: PodInfo,
  snapshot: Snapshot,
): (node: NodeInfo, constraint: Constraint) => Rejection | undefined {
  const { topologyKey, maxSkew, minDomains = 1 } = constraint;
  const selector = selectorOf(constraint, info.pod);
  const domains = new Map<string, number>();
  for (const node of snapshot.nodes.values()) {
    const domain = labelOf(node, topologyKey);
    if (domain === undefined || !isEligible(node, constraint, info.pod)) continue;
    domains.set(domain, (domains.get(domain) ?? 0) + matching(node, selector, info));
  }
  const least = domains.size < minDomains ? 0 : Math.min(...domains.values());
  const self = matchesLabels(selector, info.pod.metadata.labels) ? 1 : 0;
  return (node) => {
    const domain = labelOf(node, topologyKey);
    if (domain === undefined) return unresolvable(`${TOO_UNEVEN} (missing required label)`);
    return (domains.get(domain) ?? 0) + self - least > maxSkew ? UNEVEN : undefined;
  };
}

/** `matchLabelKeys` asks for the pod's own values. */
function selectorOf(
  { labelSelector, matchLabelKeys = [] }: Constraint,
  pod: Stored<corev1.Pod>,
): LabelSelector {
  const selector = selectorFromLabelSelector(labelSelector);
  if (selector === 'nothing') return selector;
  const labels = pod.metadata.labels ?? {};
  const own = matchLabelKeys.filter((key) => Object.hasOwn(labels, key));
  return [...selector, ...own.map((key) => ({ key, operator: '=' as const, values: [labels[key] ?? ''] }))];
}

function isEligible({ node }: NodeInfo, constraint: Constraint, pod: Stored<corev1.Pod>): boolean {
  const { nodeAffinityPolicy = 'Honor', nodeTaintsPolicy = 'Ignore' } = constraint;
  if (nodeAffinityPolicy === 'Honor' && !matchesRequiredNodeAffinity(pod, node)) return false;
  return nodeTaintsPolicy === 'Ignore' || !isRepelled(pod, node);
}

function matching({ pods }: NodeInfo, selector: LabelSelector, { pod, uid }: PodInfo): number {
  let found = 0;
  for (const other of pods.values()) {
    const { metadata } = other.pod;
    const counts = other.uid !== uid && metadata.deletionTimestamp === undefined;
    if (counts && metadata.namespace === pod.metadata.namespace && matchesLabels(selector, metadata.labels))
      found++;
  }
  return found;
}

function labelOf({ node }: NodeInfo, key: string): string | undefined {
  const { labels = {} } = node.metadata;
  return Object.hasOwn(labels, key) ? labels[key] : undefined;
}
