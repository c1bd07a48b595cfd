import type { corev1, Stored } from '@kubewright/kube';
import { type PodInfo, type PodTerm, termSelects } from '../state/pod-info.ts';
import type { NodeInfo, Snapshot } from '../state/snapshot.ts';
import { type Check, type Filter, type Rejection, unresolvable } from './filter.ts';

const NO_AFFINITY = unresolvable("node(s) didn't match pod affinity rules");
const ANTI_AFFINITY: Rejection = {
  reasons: ["node(s) didn't match pod anti-affinity rules"],
  resolvable: true,
};
const OTHERS_ANTI_AFFINITY: Rejection = {
  reasons: ["node(s) didn't satisfy existing pods anti-affinity rules"],
  resolvable: true,
};

/** Places, as `topologyKey=value`. */
type Places = ReadonlySet<string>;

export const interPodAffinity: Filter = {
  name: 'InterPodAffinity',
  prepare(info, snapshot) {
    const kept = keptAwayFrom(info, snapshot);
    const { affinity, antiAffinity } = info;
    if (kept.size === 0 && affinity.length === 0 && antiAffinity.length === 0) return {};
    const near = affinityCheck(info, snapshot);
    const places = antiAffinity.map((term) => placesOf([term], snapshot, info));
    const check: Check = (node) => {
      const rejection = near(node);
      if (rejection !== undefined) return rejection;
      if (antiAffinity.some((term, at) => isAt(node, term, places[at]))) return ANTI_AFFINITY;
      return isAmong(node, kept) ? OTHERS_ANTI_AFFINITY : undefined;
    };
    return { check };
  },
};

/** A pod that would be the first of those that it wants to be near may go anywhere that has the labels. */
function affinityCheck(info: PodInfo, snapshot: Snapshot): Check {
  const { affinity } = info;
  if (affinity.length === 0) return () => undefined;
  const labelsOf = (name: string) => snapshot.namespaceLabels(name);
  const places = placesOf(affinity, snapshot, info);
  const isFirst = places.size === 0 && affinity.every((term) => termSelects(term, info.pod, labelsOf));
  return ({ node }) => {
    const labels = node.metadata.labels ?? {};
    const hasLabels = affinity.every(({ topologyKey }) => Object.hasOwn(labels, topologyKey));
    const there = affinity.every(({ topologyKey }) => places.has(placeAt(labels, topologyKey)));
    return hasLabels && (isFirst || there) ? undefined : NO_AFFINITY;
  };
}

/** Where pods are that all of `terms` select. */
function placesOf(terms: readonly PodTerm[], snapshot: Snapshot, self: PodInfo): Places {
  const places = new Set<string>();
  const labelsOf = (name: string) => snapshot.namespaceLabels(name);
  for (const { node, pods } of snapshot.nodes.values()) {
    for (const { pod, uid } of pods.values()) {
      if (uid === self.uid || !terms.every((term) => termSelects(term, pod, labelsOf))) continue;
      addPlaces(places, terms, node);
      break;
    }
  }
  return places;
}

function addPlaces(places: Set<string>, terms: readonly PodTerm[], { metadata }: Stored<corev1.Node>): void {
  const labels = metadata.labels ?? {};
  for (const { topologyKey } of terms) {
    if (Object.hasOwn(labels, topologyKey)) places.add(placeAt(labels, topologyKey));
  }
}

/** The places of pods on nodes that want not to be near this one. */
function keptAwayFrom({ pod, uid }: PodInfo, snapshot: Snapshot): Places {
  const places = new Set<string>();
  const labelsOf = (name: string) => snapshot.namespaceLabels(name);
  for (const { info, node: name } of snapshot.guarded.values()) {
    const node = info.uid === uid ? undefined : snapshot.nodes.get(name);
    if (node === undefined) continue;
    addPlaces(
      places,
      info.antiAffinity.filter((term) => termSelects(term, pod, labelsOf)),
      node.node,
    );
  }
  return places;
}

function isAt({ node }: NodeInfo, { topologyKey }: PodTerm, places: Places | undefined): boolean {
  const labels = node.metadata.labels ?? {};
  return Object.hasOwn(labels, topologyKey) && places?.has(placeAt(labels, topologyKey)) === true;
}

function isAmong({ node }: NodeInfo, places: Places): boolean {
  if (places.size === 0) return false;
  return Object.keys(node.metadata.labels ?? {}).some((key) =>
    places.has(placeAt(node.metadata.labels, key)),
  );
}

function placeAt(labels: Readonly<Record<string, string>> | undefined, key: string): string {
  return `${key}=${labels?.[key] ?? ''}`;
}
