import { defined, parseApiVersion } from '@kubewright/kube';
import { ANNOTATIONS, type InventoryEntry } from './api.ts';
import type { DesiredManifest } from './read-manifest.ts';

/** Identifies an object, whatever the version of its manifest. */
export function objectKey({ apiVersion, kind, namespace = '', name }: InventoryEntry): string {
  return [parseApiVersion(apiVersion).group, kind, namespace, name].join('/');
}

/** The object of a manifest, if it has to exist and the operator may delete it later. */
export function inventoryEntry({
  object,
  settings,
  deleted,
  patch,
}: DesiredManifest): InventoryEntry | undefined {
  if (deleted || patch !== undefined || settings[ANNOTATIONS.disableReconciliation] === 'true')
    return undefined;
  const { apiVersion, kind, metadata } = object;
  const { name, namespace } = metadata;
  const deletionStrategy = settings[ANNOTATIONS.deletionStrategy];
  return { apiVersion, kind, name, ...defined({ namespace, deletionStrategy }) };
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

/** The manifest that deletes an object which no manifest mentions any more. */
export function tombstoneOf({
  apiVersion,
  kind,
  name,
  namespace,
  deletionStrategy = '',
}: InventoryEntry): DesiredManifest {
  const metadata = { name, ...defined({ namespace }) };
  return {
    object: { apiVersion, kind, metadata },
    settings: { [ANNOTATIONS.deletionStrategy]: deletionStrategy },
    deleted: true,
    readiness: [],
    readinessGroup: 0,
    deletionGroup: undefined,
    failOpen: undefined,
  };
}
