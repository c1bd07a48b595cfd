import type { corev1, Stored } from '@kubewright/kube';
import { matchesNodeTerm } from '@kubewright/kube/selectors';
import { isTolerated } from '../scheduling/tolerates.ts';
import { type PodInfo, podTermOf, termSelects } from './state/pod-info.ts';
import type { NodeInfo, Snapshot } from './state/snapshot.ts';

/** More is better, unless `counts` is `less`. */
type Score = {
  readonly weight: number;
  readonly of: (info: PodInfo, node: NodeInfo, snapshot: Snapshot) => number;
  /** The score is a count, normalized to 0..100 over all nodes; `less`: the node with the fewest is best. */
  readonly counts?: 'more' | 'less';
};

const MAX_NODE_SCORE = 100;
/** Requests that are assumed of a pod without requests, so that such pods spread. */
const DEFAULT_REQUESTS = [
  ['cpu', 100],
  ['memory', 200 * 1024 * 1024],
] as const;

/** With the weights of kube-scheduler's default profile. */
const SCORES: readonly Score[] = [
  { weight: 3, of: ({ pod }, { node }) => preferNoScheduleTaints(pod, node), counts: 'less' },
  { weight: 2, of: ({ pod }, { node }) => preferredNodeAffinity(pod, node), counts: 'more' },
  { weight: 2, of: preferredPodAffinity, counts: 'more' },
  // Stands for the spreading over hosts by which pods of one controller are kept apart.
  {
    weight: 2,
    of: ({ owner }, { owners }) => (owner === undefined ? 0 : (owners.get(owner) ?? 0)),
    counts: 'less',
  },
  { weight: 1, of: (info, node) => allocation(info, node) },
];

/** The node that suits best; of several, the one with the fewest pods, then the first by name. */
export function bestNode(
  info: PodInfo,
  nodes: readonly NodeInfo[],
  snapshot: Snapshot,
): NodeInfo | undefined {
  const totals = nodes.map(() => 0);
  for (const { weight, of, counts } of nodes.length > 1 ? SCORES : []) {
    const raw = nodes.map((node) => of(info, node, snapshot));
    const scores = counts === undefined ? raw : normalized(raw, counts);
    for (const [at, score] of scores.entries()) totals[at] = (totals[at] ?? 0) + weight * score;
  }
  let best = 0;
  for (let at = 1; at < nodes.length; at++) if (isBetter(nodes, totals, at, best)) best = at;
  return nodes[best];
}

function isBetter(nodes: readonly NodeInfo[], totals: readonly number[], a: number, b: number): boolean {
  const [left, right] = [nodes[a], nodes[b]];
  if (left === undefined || right === undefined) return false;
  const difference = (totals[a] ?? 0) - (totals[b] ?? 0) || right.pods.size - left.pods.size;
  return difference === 0 ? left.name < right.name : difference > 0;
}

function normalized(raw: readonly number[], counts: 'more' | 'less'): readonly number[] {
  const most = Math.max(...raw);
  if (most === 0) return raw.map(() => (counts === 'less' ? MAX_NODE_SCORE : 0));
  return raw.map((count) => (MAX_NODE_SCORE * (counts === 'less' ? most - count : count)) / most);
}

function preferNoScheduleTaints(
  { spec }: Stored<corev1.Pod>,
  { spec: { taints = [] } }: Stored<corev1.Node>,
): number {
  return taints.filter(
    (taint) => taint.effect === 'PreferNoSchedule' && !isTolerated(taint, spec.tolerations),
  ).length;
}

function preferredNodeAffinity({ spec }: Stored<corev1.Pod>, node: Stored<corev1.Node>): number {
  const wanted = spec.affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  return wanted.reduce(
    (sum, { weight, preference }) => sum + (matchesNodeTerm(preference, node) ? weight : 0),
    0,
  );
}

/** Weights of its preferred pod affinity, less those of its preferred anti-affinity, per pod in the topology of this node. */
function preferredPodAffinity({ pod, uid }: PodInfo, node: NodeInfo, snapshot: Snapshot): number {
  const { podAffinity, podAntiAffinity } = pod.spec.affinity ?? {};
  const near = podAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  const far = podAntiAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  if (near.length + far.length === 0) return 0;
  const sum = (terms: readonly corev1.WeightedPodAffinityTerm[]): number =>
    terms.reduce((total, { weight, podAffinityTerm }) => {
      const term = podTermOf(podAffinityTerm, pod);
      return total + weight * countSelected(term, { node, snapshot, uid });
    }, 0);
  // Normalizing starts at zero, so the offset keeps nodes that it avoids from all counting as zero.
  return Math.max(0, sum(near) - sum(far) + 100 * far.length * snapshot.nodes.size);
}

function countSelected(
  term: ReturnType<typeof podTermOf>,
  { node, snapshot, uid }: { readonly node: NodeInfo; readonly snapshot: Snapshot; readonly uid: string },
): number {
  const place = placeOf(node, term.topologyKey);
  if (place === undefined) return 0;
  const labelsOf = (name: string) => snapshot.namespaceLabels(name);
  let found = 0;
  for (const other of snapshot.nodes.values()) {
    if (placeOf(other, term.topologyKey) !== place) continue;
    for (const { pod, uid: id } of other.pods.values()) {
      if (id !== uid && termSelects(term, pod, labelsOf)) found++;
    }
  }
  return found;
}

/** How little is used, and how alike the resources are used: both between 0 and 100. */
function allocation({ requests }: PodInfo, { allocatable, requested }: NodeInfo): number {
  let [free, most, least, known] = [0, 0, 1, 0];
  for (const [name, byDefault] of DEFAULT_REQUESTS) {
    const capacity = allocatable.get(name) ?? 0;
    if (capacity === 0) continue;
    const used = (requested.get(name) ?? 0) + (requests.get(name) ?? byDefault);
    const share = Math.min(1, used / capacity);
    [free, most, least, known] = [free + 1 - share, Math.max(most, share), Math.min(least, share), known + 1];
  }
  return known === 0 ? 0 : MAX_NODE_SCORE * (free / known + 1 - (most - least) / 2);
}

function placeOf({ node: { metadata } }: NodeInfo, topologyKey: string): string | undefined {
  const { labels = {} } = metadata;
  return Object.hasOwn(labels, topologyKey) ? labels[topologyKey] : undefined;
}
