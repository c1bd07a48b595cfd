import { defined, parseApiVersion, type Stored } from '@kubewright/kube';
import { isClusterScoped } from '../../kit/built-in-kinds.ts';
import type { Container } from '../../kit/contents-of.ts';
import type { InventoryEntry, Manifest, ResourceSlice } from '../api.ts';
import { readManifest } from '../read-manifest.ts';
import { wantedManifests } from './wants-objects.ts';

/**
 * By what a slice wants a live object, or something in `container`, which the server would delete with it. Empty: the object itself. Only texts with its name are parsed: this is asked of all slices of
 * a cluster. Where a manifest cannot be read, it may be the one of an object on record.
 */
export function claimOn(
  slice: ResourceSlice,
  live: Stored,
  container: Container | undefined,
): string | undefined {
  const of = (entry: InventoryEntry): string | undefined => claimBy(entry, live, container);
  const word = container?.type === 'definition' ? container.kind : live.metadata.name;
  const resources = (slice.spec?.resources ?? []).filter((one) => hasWord(one, [word, live.metadata.name]));
  const wanted = wantedManifests({ ...slice, spec: { resources } }).flatMap(
    ({ object: { apiVersion, kind, metadata } }) => of({ apiVersion, kind, ...metadata }) ?? [],
  );
  const [first] = wanted.toSorted();
  return first ?? claimInside(slice, container) ?? recordedClaim(slice, of);
}

/** Words as JSON writes them. Any of their characters may be written as its number, too. */
function hasWord({ manifest = '' }: Manifest, words: readonly string[]): boolean {
  return (
    manifest.includes('\\u') || words.some((word) => manifest.includes(JSON.stringify(word).slice(1, -1)))
  );
}

function claimBy(entry: InventoryEntry, live: Stored, container: Container | undefined): string | undefined {
  if (isSameObject(entry, live)) return '';
  return container !== undefined && isIn(entry, container) ? titleOf(entry) : undefined;
}

/** Where the object has no namespace, that of the manifest does not count. */
export function isSameObject(
  { apiVersion, kind, namespace = '', name }: InventoryEntry,
  live: Stored,
): boolean {
  if (name !== live.metadata.name || kind !== live.kind) return false;
  const { namespace: place = '' } = live.metadata;
  return groupOf(apiVersion) === groupOf(live.apiVersion) && (place === '' || place === namespace);
}

function isIn({ apiVersion, kind, namespace }: InventoryEntry, container: Container): boolean {
  const group = groupOf(apiVersion);
  return container.type === 'namespace'
    ? namespace === container.namespace && !isClusterScoped(group, kind)
    : kind === container.kind && group === container.group;
}

/** A slice that goes with its namespace takes its objects with it, wherever they are. */
function claimInside(slice: ResourceSlice, container: Container | undefined): string | undefined {
  const { name, namespace } = slice.metadata;
  if (container?.type !== 'namespace' || container.namespace !== namespace) return undefined;
  return (slice.spec?.resources ?? []).length === 0 ? undefined : `ResourceSlice ${namespace}/${name}`;
}

function recordedClaim(
  { spec, status }: ResourceSlice,
  of: (entry: InventoryEntry) => string | undefined,
): string | undefined {
  const [claim] = (status?.inventory ?? []).flatMap((entry) => of(entry) ?? []).toSorted();
  if (claim === undefined) return undefined;
  const isUnread = (spec?.resources ?? []).some((resource) => typeof readManifest(resource) === 'string');
  return isUnread ? claim : undefined;
}

function groupOf(apiVersion: string): string {
  return parseApiVersion(apiVersion).group;
}

function titleOf({ kind, namespace, name }: InventoryEntry): string {
  return `${kind} ${Object.values(defined({ namespace, name })).join('/')}`;
}
