import type { corev1, Stored } from '@kubewright/kube';
import { readyCondition } from './unknown-conditions.ts';

/** How fast nodes that are not ready may be emptied, per second. */
export type EvictionRates = {
  readonly normal: number;
  /** In a zone of many nodes most of which are not ready. */
  readonly reduced: number;
};

const EXCLUDED = 'node.kubernetes.io/exclude-disruption';
const LARGE_ZONE = 50;
const UNHEALTHY_SHARE = 0.55;

/** Names the zone of a node; one without labels is in a zone with the others of that sort. */
export function zoneOf({ metadata: { labels = {} } }: Stored<corev1.Node>): string {
  const region =
    labels['topology.kubernetes.io/region'] ?? labels['failure-domain.beta.kubernetes.io/region'] ?? '';
  const zone =
    labels['topology.kubernetes.io/zone'] ?? labels['failure-domain.beta.kubernetes.io/zone'] ?? '';
  return `${region}:${zone}`;
}

/** Nodes that are looked at to events a disruption. */
function counted(nodes: readonly Stored<corev1.Node>[]): readonly Stored<corev1.Node>[] {
  return nodes.filter(({ metadata }) => !Object.hasOwn(metadata.labels ?? {}, EXCLUDED));
}

function isReady(node: Stored<corev1.Node>): boolean {
  return readyCondition(node.status?.conditions)?.status === 'True';
}

/** None of all the nodes is ready: then it is rather the control plane that cannot reach them, and pods stay. */
export function isAllLost(nodes: readonly Stored<corev1.Node>[]): boolean {
  const all = counted(nodes);
  return all.length > 0 && !all.some(isReady);
}

/** How many nodes of a zone may be emptied in a second, given how its nodes are. */
export function evictionRate(
  zone: string,
  nodes: readonly Stored<corev1.Node>[],
  { normal, reduced }: EvictionRates,
): number {
  const all = counted(nodes).filter((node) => zoneOf(node) === zone);
  const lost = all.filter((node) => !isReady(node)).length;
  const isPartial = lost < all.length && lost > 2 && lost / all.length >= UNHEALTHY_SHARE;
  if (!isPartial) return normal;
  return all.length > LARGE_ZONE ? reduced : 0;
}
