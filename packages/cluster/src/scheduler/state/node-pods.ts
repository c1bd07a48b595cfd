import type { corev1, Stored } from '@kubewright/kube';
import type { PodInfo } from './pod-info.ts';
import { addResources, readResources } from './resources.ts';
import type { NodeInfo } from './snapshot.ts';

type Placed = { readonly info: PodInfo; readonly node: string };

/**
 * Nodes and the pods on them, kept up to date one change at a time: what a decision costs does not depend on how many
 * pods there are.
 *
 * Invariant: a pod is on at most one node; the sums of a node are those of its pods.
 */
export class NodePods {
  /** Nodes that exist. */
  readonly nodes: Map<string, NodeInfo> = new Map();
  /** Pods that keep others away, by uid. */
  readonly guarded: Map<string, Placed> = new Map();
  readonly #placed = new Map<string, Placed>();
  /** Also of nodes that are not there yet, or no more. */
  readonly #slots = new Map<string, Slot>();

  setNode(node: Stored<corev1.Node>): void {
    const { name } = node.metadata;
    const slot = this.#slot(name);
    const allocatable = readResources(node.status?.allocatable);
    this.nodes.set(name, { name, node, allocatable, ...slot });
  }

  removeNode(name: string): void {
    this.nodes.delete(name);
    if (this.#slots.get(name)?.pods.size === 0) this.#slots.delete(name);
  }

  nodeOf(uid: string): string | undefined {
    return this.#placed.get(uid)?.node;
  }

  place(info: PodInfo, node: string): void {
    this.remove(info.uid);
    const placed = { info, node };
    this.#placed.set(info.uid, placed);
    if (info.antiAffinity.length > 0) this.guarded.set(info.uid, placed);
    const slot = this.#slot(node);
    slot.pods.set(info.uid, info);
    addResources(slot.requested, info.requests);
    if (info.owner !== undefined) slot.owners.set(info.owner, (slot.owners.get(info.owner) ?? 0) + 1);
  }

  remove(uid: string): void {
    const placed = this.#placed.get(uid);
    if (placed === undefined) return;
    const { info, node } = placed;
    this.#placed.delete(uid);
    this.guarded.delete(uid);
    const slot = this.#slot(node);
    slot.pods.delete(uid);
    addResources(slot.requested, info.requests, -1);
    const siblings = slot.owners.get(info.owner ?? '') ?? 0;
    if (siblings > 1) slot.owners.set(info.owner ?? '', siblings - 1);
    else slot.owners.delete(info.owner ?? '');
    if (slot.pods.size === 0 && !this.nodes.has(node)) this.#slots.delete(node);
  }

  #slot(name: string): Slot {
    const known = this.#slots.get(name);
    if (known !== undefined) return known;
    const made: Slot = { pods: new Map(), requested: new Map(), owners: new Map() };
    this.#slots.set(name, made);
    return made;
  }
}

type Slot = {
  readonly pods: Map<string, PodInfo>;
  readonly requested: Map<string, number>;
  readonly owners: Map<string, number>;
};

/** What is left of a resource on a node. */
export function freeOn(
  { allocatable, requested }: Pick<NodeInfo, 'allocatable' | 'requested'>,
  name: string,
): number {
  return (allocatable.get(name) ?? 0) - (requested.get(name) ?? 0);
}
