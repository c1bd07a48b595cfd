import type { OwnerReference, Stored } from '@kubewright/kube';
import { FOREGROUND, type NodeWithDependents } from './graph-node.ts';
import { type LiveDependent, listDependents } from './list-dependents.ts';
import { type Observer, readLive } from './read-live.ts';
import { type ObjectReference, ownerIdentity } from './object-reference.ts';

/** `waiting`: the owner is there, and waits for its dependents to go. */
type ClassifiedReference = {
  readonly reference: OwnerReference;
  readonly owner: 'solid' | 'dangling' | 'waiting';
};

/** What the server says of an object of the graph. */
export type Observation =
  /** A namespaced kind without a namespace: a cluster-scoped object refers to it, which means nothing. */
  | { readonly type: 'unplaceable' }
  /** `identity` is what was asked for. */
  | { readonly type: 'absent'; readonly identity: ObjectReference }
  | {
      readonly type: 'live';
      readonly object: Stored;
      readonly references: readonly ClassifiedReference[];
      /** Of an object whose dependents are to be orphaned: all of them. */
      readonly dependents: readonly LiveDependent[];
    };

/** Asks the server about an object and its owners: the graph may be behind, and what it lacks may exist. */
export async function observe(node: NodeWithDependents, observer: Observer): Promise<Observation> {
  const found = await readLive(node.identity, observer);
  if (found === 'absent') return { type: found, identity: node.identity };
  if (found === 'unplaceable') return { type: found };
  if (node.orphaning) {
    const dependents = await listDependents(node, observer);
    return { type: 'live', object: found, references: [], dependents };
  }
  const { ownerReferences = [] } = found.metadata;
  const references: ClassifiedReference[] = [];
  for (const reference of node.deletingDependents ? [] : ownerReferences) {
    const owner = await readLive(ownerIdentity(reference, node.identity.namespace), observer);
    // Nothing can be said of the others then: the object is left alone for good.
    if (owner === 'unplaceable') return { type: 'unplaceable' };
    references.push({ reference, owner: owner === 'absent' ? 'dangling' : standing(owner) });
  }
  return { type: 'live', object: found, references, dependents: [] };
}

function standing({ metadata }: Stored): 'solid' | 'waiting' {
  const waits =
    metadata.deletionTimestamp !== undefined && metadata.finalizers?.includes(FOREGROUND) === true;
  return waits ? 'waiting' : 'solid';
}
