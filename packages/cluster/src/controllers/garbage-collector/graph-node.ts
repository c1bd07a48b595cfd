import type { KubeObject, OwnerReference } from '@kubewright/kube';
import type { ObjectReference } from './object-reference.ts';
import { referencesTo } from './references-to.ts';

export const ORPHAN = 'orphan';
export const FOREGROUND = 'foregroundDeletion';

/** What the graph knows of an object's own wishes. */
export type NodeState = {
  readonly deleting: boolean;
  /** Being deleted in the foreground: its dependents go first. */
  readonly deletingDependents: boolean;
  /** Being deleted, and its dependents are to live on. */
  readonly orphaning: boolean;
  readonly owners: readonly OwnerReference[];
};

/** An object as the graph has it. Not `observed`: others refer to it, and no event has shown it. */
export type GraphNode = NodeState & { readonly identity: ObjectReference; readonly observed: boolean };

/** A dependent as its owner's decision needs it. `blocks`: the owner waits for it in foreground deletion. */
export type Dependent = GraphNode & { readonly blocks: boolean };

export type NodeWithDependents = GraphNode & { readonly dependents: readonly Dependent[] };

export const NOTHING_KNOWN: NodeState = {
  deleting: false,
  deletingDependents: false,
  orphaning: false,
  owners: [],
};

export function stateOf({ metadata }: KubeObject): NodeState {
  const { finalizers = [], ownerReferences = [], deletionTimestamp } = metadata;
  const deleting = deletionTimestamp !== undefined;
  return {
    deleting,
    deletingDependents: deleting && finalizers.includes(FOREGROUND),
    orphaning: deleting && finalizers.includes(ORPHAN),
    owners: ownerReferences,
  };
}

export function blocks(node: NodeState, ownerUid: string): boolean {
  return referencesTo(node.owners, ownerUid).some(({ blockOwnerDeletion }) => blockOwnerDeletion === true);
}
