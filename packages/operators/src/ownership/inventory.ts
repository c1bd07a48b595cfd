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

/** What was recorded before, and what the manifests say now, which replaces it. */
export function mergeInventory(
  before: readonly InventoryEntry[],
  now: readonly InventoryEntry[],
): readonly InventoryEntry[] {
  return [...new Map([...before, ...now].map((entry) => [objectKey(entry), entry])).values()];
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
