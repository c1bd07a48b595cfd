import type { KubeObject, OwnerReference } from '@kubewright/kube';
import { alternateIdentity } from './alternate-identity.ts';
import {
  blocks,
  type Dependent,
  type GraphNode,
  type NodeWithDependents,
  NOTHING_KNOWN,
  type NodeState,
  stateOf,
} from './graph-node.ts';
import { type ObjectReference, ownerIdentity, refersTo, sameReference } from './object-reference.ts';
import { ownerChanges } from './owner-changes.ts';
import { referencesTo } from './references-to.ts';

/** What a change of the graph asks for. */
export type GraphWork = {
  /** Uids of objects that have to be looked at. */
  readonly attempts: ReadonlySet<string>;
  /** References that can mean nothing: the owner is in another namespace. */
  readonly misplaced: readonly MisplacedReference[];
};

export type MisplacedReference = { readonly dependent: ObjectReference; readonly owner: ObjectReference };

type Node = { identity: ObjectReference; observed: boolean; state: NodeState; dependents: Set<string> };

/**
 * Who depends on whom, as far as events have shown. Pure: events go in, work comes out; no I/O, no clock.
 *
 * Invariant: the uid of every node is among the dependents of each of its owners, and every owner that is referred
 * to has a node, observed or not, until a read has confirmed that it does not exist.
 *
 * After `graph_builder.go` of Kubernetes' garbage collector, with one difference: an event that says that an owner is
 * gone is not believed. The owner's node turns unobserved, and dependents are looked at when the server has
 * confirmed it; caches may lag.
 */
export class DependencyGraph {
  readonly #nodes = new Map<string, Node>();
  #attempts = new Set<string>();
  #misplaced: MisplacedReference[] = [];

  get(uid: string): NodeWithDependents | undefined {
    const node = this.#nodes.get(uid);
    if (node === undefined) return undefined;
    return { ...view(node), dependents: this.#dependents(node) };
  }

  /** An object was seen. */
  observe(identity: ObjectReference, object: KubeObject): GraphWork {
    const known = this.#nodes.get(identity.uid);
    if (known !== undefined && !known.observed) this.#meet(known, identity);
    const node = known ?? this.#insert(identity, true);
    const before = node.state;
    node.observed = true;
    node.identity = identity;
    node.state = stateOf(object);
    this.#changeOwners(node, before.owners);
    if (node.state.orphaning && !before.orphaning) this.#attempts.add(identity.uid);
    else if (node.state.deletingDependents && !before.deletingDependents) {
      this.#attempt(node.dependents);
      this.#attempts.add(identity.uid);
    }
    return this.#work();
  }

  /** An object was seen to go. */
  remove(uid: string): GraphWork {
    const node = this.#nodes.get(uid);
    if (node === undefined) return this.#work();
    this.#leaveOwners(node);
    if (node.dependents.size === 0) this.#nodes.delete(uid);
    else {
      node.observed = false;
      node.state = NOTHING_KNOWN;
      this.#attempts.add(uid);
    }
    return this.#work();
  }

  /** The server has been asked: there is no such object. */
  confirmAbsent(identity: ObjectReference): GraphWork {
    const node = this.#nodes.get(identity.uid);
    if (node === undefined) return this.#work();
    const dependents = this.#dependents(node);
    const matching = dependents.filter((one) => matches(one, identity));
    const others = dependents.filter((one) => differs(one, identity));
    const isOther = !sameReference(node.identity, identity);
    // Some mean another object by this uid: the node stays for them.
    if (node.observed ? isOther : others.length > 0) {
      this.#attempt(matching.map((one) => one.identity.uid));
      const next = node.observed || isOther ? undefined : alternateIdentity(others, identity);
      if (next !== undefined) node.identity = next;
      return this.#work();
    }
    this.#nodes.delete(identity.uid);
    this.#leaveOwners(node);
    this.#attempt(node.dependents);
    return this.#work();
  }

  #work(): GraphWork {
    const work = { attempts: this.#attempts, misplaced: this.#misplaced };
    this.#attempts = new Set();
    this.#misplaced = [];
    return work;
  }

  #attempt(uids: Iterable<string>): void {
    for (const uid of uids) this.#attempts.add(uid);
  }

  #dependents({ dependents, identity: { uid } }: Node): readonly Dependent[] {
    return [...dependents].flatMap((dependent) => {
      const node = this.#nodes.get(dependent);
      return node === undefined ? [] : [{ ...view(node), blocks: blocks(node.state, uid) }];
    });
  }

  #insert(identity: ObjectReference, observed: boolean): Node {
    const node: Node = { identity, observed, state: NOTHING_KNOWN, dependents: new Set() };
    this.#nodes.set(identity.uid, node);
    return node;
  }

  /** What others spoke of is seen for the first time: those who meant something else are to be looked at. */
  #meet(node: Node, identity: ObjectReference): void {
    if (sameReference(node.identity, identity)) return;
    for (const dependent of this.#dependents(node)) {
      if (!differs(dependent, identity)) continue;
      if (isElsewhere(dependent, identity)) this.#report(dependent, identity.uid);
      this.#attempts.add(dependent.identity.uid);
    }
  }

  #changeOwners(node: Node, before: readonly OwnerReference[]): void {
    const { added, removed, unblocked } = ownerChanges(before, node.state.owners);
    this.#attempt(unblocked.filter((uid) => this.#nodes.has(uid)));
    for (const { uid } of removed) this.#nodes.get(uid)?.dependents.delete(node.identity.uid);
    const doubtful = added.map((owner) => this.#join(node, owner));
    // What was left alone on account of a reference that is gone now may have no other owner.
    const alone =
      removed.length > 0 && node.state.owners.some(({ uid }) => this.#nodes.get(uid)?.observed !== true);
    if (alone || doubtful.includes(true)) this.#attempts.add(node.identity.uid);
  }

  /** Puts a node among the dependents of an owner; true where the reference may mean nothing. */
  #join(node: Node, reference: OwnerReference): boolean {
    const { identity } = node;
    const known = this.#nodes.get(reference.uid);
    const owner = known ?? this.#insert(ownerIdentity(reference, identity.namespace), false);
    owner.dependents.add(identity.uid);
    if (known === undefined) {
      this.#attempts.add(reference.uid);
      return false;
    }
    if (isElsewhere(node, owner.identity)) {
      if (owner.observed) this.#report(view(node), reference.uid);
      return true;
    }
    if (!refersTo(reference, owner.identity)) return true;
    // An owner without a namespace that is not observed may be a namespaced one that a cluster-scoped object names.
    return !owner.observed && owner.identity.namespace !== identity.namespace;
  }

  #report({ identity, owners }: GraphNode, ownerUid: string): void {
    const [reference] = referencesTo(owners, ownerUid);
    if (reference === undefined) return;
    this.#misplaced.push({ dependent: identity, owner: ownerIdentity(reference, identity.namespace) });
  }

  #leaveOwners({ state: { owners }, identity: { uid } }: Node): void {
    for (const owner of owners) {
      const node = this.#nodes.get(owner.uid);
      node?.dependents.delete(uid);
      if (node?.state.deletingDependents === true) this.#attempts.add(owner.uid);
    }
  }
}

function view({ identity, observed, state }: Node): GraphNode {
  return { ...state, identity, observed };
}

function isElsewhere({ identity }: { readonly identity: ObjectReference }, owner: ObjectReference): boolean {
  return owner.namespace !== '' && owner.namespace !== identity.namespace;
}

/** Does a dependent mean this very object by one of its references? */
function matches(dependent: GraphNode, owner: ObjectReference): boolean {
  const references = referencesTo(dependent.owners, owner.uid);
  return !isElsewhere(dependent, owner) && references.some((reference) => refersTo(reference, owner));
}

/** Does a dependent mean something else by this uid? It may do both. */
function differs(dependent: GraphNode, owner: ObjectReference): boolean {
  if (isElsewhere(dependent, owner)) return true;
  return referencesTo(dependent.owners, owner.uid).some((reference) => !refersTo(reference, owner));
}
