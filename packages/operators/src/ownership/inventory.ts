import { defined, parseApiVersion } from '@kubewright/kube';
import { isClusterScoped } from '../kit/built-in-kinds.ts';
import { ANNOTATIONS, type Composition, type InventoryEntry } from './api.ts';
import { isOrphaned, type DesiredManifest } from './read-manifest.ts';

/** Identifies an object, whatever the version of its manifest, and whatever namespace that names without need. */
export function objectKey({ apiVersion, kind, namespace = '', name }: InventoryEntry): string {
  const { group } = parseApiVersion(apiVersion);
  return [group, kind, isClusterScoped(group, kind) ? '' : namespace, name].join('/');
}

/** {@link objectKey} of the object of a manifest; of a Patch, of the object that it changes. */
export function manifestKey({ object: { apiVersion, kind, metadata } }: DesiredManifest): string {
  return objectKey({ apiVersion, kind, ...metadata });
}

/** The object of a manifest, if it has to exist and the operator may delete it later. */
export function inventoryEntry(manifest: DesiredManifest): InventoryEntry | undefined {
  const { deleted, patch, settings } = manifest;
  const isApplied = !deleted && patch === undefined && settings[ANNOTATIONS.disableReconciliation] !== 'true';
  return isApplied ? entryOf(manifest) : undefined;
}

/** What is put on record of the object of a manifest. */
export function entryOf({ object, settings }: DesiredManifest): InventoryEntry {
  const { apiVersion, kind, metadata } = object;
  const { name, namespace } = metadata;
  const strategy = settings[ANNOTATIONS.deletionStrategy];
  const deleteShared = settings[ANNOTATIONS.deleteShared] === 'true' ? true : undefined;
  return { apiVersion, kind, name, ...defined({ namespace, deletionStrategy: strategy, deleteShared }) };
}

/**
 * What was recorded before, and what the manifests say now, which replaces it but for what was applied: that is of the
 * slice itself, or of the one that had the object before.
 */
export function mergeInventory(
  before: readonly InventoryEntry[],
  now: readonly InventoryEntry[],
  elsewhere: readonly InventoryEntry[],
): readonly InventoryEntry[] {
  const merged = new Map(before.map((entry) => [objectKey(entry), entry]));
  const former = new Map(elsewhere.map((entry) => [objectKey(entry), entry]));
  for (const entry of now) {
    const key = objectKey(entry);
    const { applied } = merged.get(key) ?? former.get(key) ?? {};
    merged.set(key, { ...entry, ...defined({ applied }) });
  }
  return [...merged.values()];
}

/** The manifest that deletes an object of the Composition which no manifest mentions any more. */
export function tombstoneOf(
  { apiVersion, kind, name, namespace, deletionStrategy: strategy = '', deleteShared }: InventoryEntry,
  composition: Composition,
): DesiredManifest {
  const metadata = { name, ...defined({ namespace }) };
  const settings = {
    [ANNOTATIONS.deletionStrategy]: strategy,
    [ANNOTATIONS.deleteShared]: String(deleteShared === true),
  };
  return {
    object: { apiVersion, kind, metadata },
    settings,
    deleted: true,
    isDropped: true,
    orphaned: isOrphaned(settings, composition),
    readiness: [],
    readinessGroup: 0,
    deletionGroup: undefined,
    failOpen: undefined,
  };
}
