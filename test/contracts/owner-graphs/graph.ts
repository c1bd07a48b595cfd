/** Kinds that stand in graphs; a Gadget is a cluster-scoped custom resource, a Widget one with a namespace. */
export type GraphKind =
  | 'ConfigMap'
  | 'Secret'
  | 'Pod'
  | 'Job'
  | 'ReplicaSet'
  | 'Deployment'
  | 'ClusterRole'
  | 'Widget'
  | 'Gadget';

/** An owner reference. What is given beside `to` is false on purpose. */
export type OwnerSpec = {
  readonly to: string;
  /** `blockOwnerDeletion`. */
  readonly block?: boolean;
  readonly uid?: string;
  readonly name?: string;
  readonly kind?: string;
  readonly apiVersion?: string;
};

export type GraphObject = {
  readonly name: string;
  /** Default ConfigMap. */
  readonly kind?: GraphKind;
  /** Default `a`. */
  readonly namespace?: 'a' | 'b';
  /** A name alone is a true reference. */
  readonly owners?: readonly (string | OwnerSpec)[];
  readonly finalizers?: readonly string[];
  /** A pod's node: it then dies gracefully. */
  readonly node?: string;
};

type Propagation = 'Background' | 'Foreground' | 'Orphan';

/** What somebody does. Each step is taken when the controllers have done with the one before. */
export type GraphStep =
  | { readonly delete: string; readonly propagation?: Propagation; readonly orphanDependents?: boolean }
  /** Both in one go: nobody waits between. */
  | { readonly deleteAll: readonly string[]; readonly propagation?: Propagation }
  /** DELETE of the ConfigMaps of `a` that nobody owns. */
  | { readonly deleteCollection: 'roots'; readonly propagation?: Propagation }
  | { readonly deleteNamespace: 'a' | 'b'; readonly propagation?: Propagation }
  | { readonly create: GraphObject }
  | { readonly own: string; readonly by: readonly (string | OwnerSpec)[] }
  /** Takes all finalizers away. */
  | { readonly release: string };

/** Objects, what happens to them, and what is left. */
export type OwnerGraph = {
  readonly name: string;
  readonly objects: readonly GraphObject[];
  readonly steps: readonly GraphStep[];
  /** What is left in the end: `name`, `name!` being deleted, `name(owners)`, `name[finalizers]`. */
  readonly left: readonly string[];
  /** Of which a reference is reported as leading to another namespace. */
  readonly reported?: readonly string[];
  /** Namespaces that stay, being deleted. */
  readonly ending?: readonly ('a' | 'b')[];
};
