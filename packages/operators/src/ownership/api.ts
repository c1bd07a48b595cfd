import {
  controllerOf,
  type CustomObject,
  customResource,
  type Infer,
  type OwnerReference,
  parseApiVersion,
} from '@kubewright/kube';
import { composition, type synthesis } from './composition.ts';
import {
  type inventoryEntry,
  type manifest,
  type ownershipReport,
  type releasedObject,
  type resourceState,
  slice,
} from './slice.ts';

// The fields are those of the original API; additions are marked.

/** Annotations and labels with this prefix are for the operator, and never applied. */
export const ANNOTATION_PREFIX = 'eno.azure.io/';

/** Annotations of a manifest, with those of its Composition as defaults. The original's come first. */
export const ANNOTATIONS = {
  /** `true`: the object is left alone. */
  disableReconciliation: 'eno.azure.io/disable-reconciliation',
  /** `true`: the object is created where it is missing, and not updated. */
  disableUpdates: 'eno.azure.io/disable-updates',
  /** `true`: the object is replaced as a whole, whoever owns its fields. */
  replace: 'eno.azure.io/replace',
  /** `orphan`: the object stays when the Composition is deleted. `foreground`: what it owns goes before it. */
  deletionStrategy: 'eno.azure.io/deletion-strategy',
  /** How often an object that is in sync is looked at again: `15m`, at least `1s`. */
  reconcileInterval: 'eno.azure.io/reconcile-interval',
  /** `true`: it is looked at as often as `DEFAULT_RECONCILE_INTERVAL` says. */
  useDefaultReconcileInterval: 'eno.azure.io/use-default-reconcile-interval',
  /** A CEL expression on the live object: when it is ready. Others may follow, as `readiness-NAME`; all have to pass. */
  readiness: 'eno.azure.io/readiness',
  /** An integer: a manifest waits until those of lower groups are ready. */
  readinessGroup: 'eno.azure.io/readiness-group',
  /** An integer: when the Composition is deleted, an object waits until those of lower groups are gone. */
  deletionGroup: 'eno.azure.io/deletion-group',
  /** A JSON list of values for paths, each with a condition in CEL. */
  overrides: 'eno.azure.io/overrides',
  /** `true`: a failure to apply counts as success. */
  failOpen: 'eno.azure.io/fail-open',
  /** Comma-separated path patterns: which fields may be moved. */
  scope: 'eno.azure.io/migrate-ownership',
  /** `minimal`, `adopt`, `release`, `observe` or `off`: how ownership is moved. */
  mode: 'eno.azure.io/migrate-ownership-mode',
  /** Comma-separated field managers: from whom. */
  sources: 'eno.azure.io/migrate-ownership-sources',
  /** `true`: an object that goes is deleted even if another tool has it; what another Composition has never is. */
  deleteShared: 'eno.azure.io/delete-shared',
  /** `true`: also moves fields of other managers below a struct that is no longer applied. */
  cascade: 'eno.azure.io/migrate-ownership-cascade',
  /** `true`: the apply that follows may remove or reset more than what the manifest dropped. */
  allowPrune: 'eno.azure.io/migrate-ownership-allow-prune',
  /** Comma-separated path patterns: what may be moved although it is protected. */
  allowProtected: 'eno.azure.io/migrate-ownership-allow-protected',
  /** In mode `release`: the field manager that gets the fields which the manifest leaves out. */
  releaseTo: 'eno.azure.io/migrate-ownership-release-to',
} as const;

/**
 * Holds a Composition until its objects are gone, and a slice until what it applied is: pruned, or deleted with the
 * Composition.
 */
export const CLEANUP_FINALIZER = 'eno.azure.io/cleanup';

/** The field manager of everything that is applied. */
export const FIELD_MANAGER = 'eno';

/**
 * The field manager of the dry run that shows which fields a manifest would own. It never owns anything: nothing is
 * ever written under this name.
 */
export const PROBE_MANAGER = 'kubewright-probe';

export const GROUP = 'eno.azure.io';

/** Conditions of a Composition, an addition. Each names the objects; it is absent while there was no reason for it. */
export const CONDITIONS = {
  /** Ownership of fields was moved to us. */
  migrated: 'OwnershipMigrated',
  /** A removal waits, because ownership may not be moved. */
  blocked: 'OwnershipBlocked',
  /** Another applier claims again what was moved, or another Composition wants other values. */
  contested: 'OwnershipContested',
  /** Objects were released and not deleted, because others have them. */
  released: 'ObjectsReleased',
  /** Objects that could not be applied or deleted, for another reason than those of the other conditions. */
  failed: 'ObjectsFailed',
} as const;

const names = { group: GROUP, version: 'v1', scope: 'Namespaced' } as const;

/** A set of objects that is managed together. */
export const COMPOSITIONS = customResource({
  ...names,
  kind: 'Composition',
  plural: 'compositions',
  shortNames: ['comp'],
  categories: ['kubewright'],
  schema: composition,
  columns: [
    { name: 'Synthesizer', type: 'string', jsonPath: '.spec.synthesizer.name' },
    { name: 'Age', type: 'date', jsonPath: '.status.currentSynthesis.synthesized' },
    { name: 'Status', type: 'string', jsonPath: '.status.simplified.status' },
    { name: 'Error', type: 'string', jsonPath: '.status.simplified.error' },
  ],
});

/** A part of a Composition's objects. */
export const RESOURCE_SLICES = customResource({
  ...names,
  kind: 'ResourceSlice',
  plural: 'resourceslices',
  shortNames: ['rslice'],
  categories: ['kubewright'],
  schema: slice,
  columns: [
    { name: 'Composition', type: 'string', jsonPath: '.metadata.ownerReferences[0].name' },
    { name: 'Error', type: 'string', jsonPath: '.status.resources[*].reconciliationError' },
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
  ],
});

/** One object of a slice: JSON in a string, as the original has it. */
export type Manifest = Infer<typeof manifest>;
/** The result for shared fields of one object. */
export type OwnershipReport = Infer<typeof ownershipReport>;
/** An object that a slice applied. */
export type InventoryEntry = Infer<typeof inventoryEntry>;
/** An object that stays because others have it. */
export type ReleasedObject = Infer<typeof releasedObject>;
/** `status.resources[]` of a slice, with the index of `spec.resources`. */
export type ResourceState = Infer<typeof resourceState>;
/** A resource's state while it is worked on, with `applied` of its entry in the inventory. */
export type ManifestState = ResourceState & { readonly applied?: string };
/** The result of one synthesis. */
export type Synthesis = Infer<typeof synthesis>;
export type CompositionStatus = NonNullable<Composition['status']>;
export type Composition = CustomObject<Infer<typeof composition>>;
export type ResourceSlice = CustomObject<Infer<typeof slice>>;

/** The Composition of a slice: its controller owner. */
export function compositionOf(of: ResourceSlice): OwnerReference | undefined {
  const owner = controllerOf(of);
  const isComposition = owner?.kind === 'Composition' && parseApiVersion(owner.apiVersion).group === GROUP;
  return isComposition ? owner : undefined;
}
