import type { Composition, ResourceSlice } from './api.ts';
import { inventoryEntry, manifestKey, objectKey } from './inventory.ts';
import type { Mentioned } from './prune.ts';
import { type DesiredManifest, readManifest } from './read-manifest.ts';
import type { RecordGuard } from './record-guard.ts';
import type { SliceStates } from './slice-states.ts';

/** A manifest of a slice, at its index. */
export type Item = { readonly index: number; readonly manifest: DesiredManifest };

type Place = {
  readonly composition: Composition;
  readonly states: SliceStates;
  readonly others: readonly ResourceSlice[] | undefined;
  readonly listOthers: () => Promise<Place['others']>;
  readonly guard: Pick<RecordGuard, 'confirmCached'>;
};

/**
 * What slices mention: by the cache if that keeps all objects, else by the server, because an object is deleted for it.
 * `items` are the manifests of the slice; undefined: not all of them can be read. The result is undefined while a manifest
 * cannot be read, or a slice is not known yet, and nothing may be taken for dropped.
 */
export async function mentionedNow(
  items: readonly Item[] | undefined,
  place: Place,
): Promise<Mentioned | undefined> {
  const mentioned = mentionedBy(items, place, place.others);
  if (mentioned === undefined) return undefined;
  const isMentioned = (key: string): boolean => mentioned.own.has(key) || mentioned.others.has(key);
  const isComplete = place.states.inventory().every((entry) => isMentioned(objectKey(entry)));
  if (isComplete) return mentioned;
  await place.guard.confirmCached();
  return mentionedBy(items, place, await place.listOthers());
}

function mentionedBy(
  items: readonly Item[] | undefined,
  place: Place,
  others: Place['others'],
): Mentioned | undefined {
  const wanted = wantedBy(others, place);
  if (items === undefined || wanted === undefined) return undefined;
  const patched = items.filter(({ manifest }) => isPatch(manifest));
  const applied = items.filter(({ manifest }) => !isPatch(manifest));
  return {
    own: new Map(applied.map(({ index, manifest }) => [manifestKey(manifest), index])),
    others: new Map([
      ...patched.map(({ manifest }): Wanted => [manifestKey(manifest), 'recorded']),
      ...wanted,
    ]),
  };
}

function isPatch({ patch }: DesiredManifest): boolean {
  return patch !== undefined;
}

type Wanted = readonly [key: string, how: 'recorded' | 'pending'];

/** Undefined: not all of it can be read. */
function wantedBy(others: Place['others'], place: Place): Mentioned['others'] | undefined {
  if (others === undefined) return undefined;
  const all = others.map((other) => wantedIn(other, place));
  const known = all.filter((wanted) => wanted !== undefined).flat();
  if (all.includes(undefined)) return undefined;
  // What one of them has on record is nowhere pending.
  return new Map([
    ...known.filter(([, how]) => how === 'pending'),
    ...known.filter(([, how]) => how !== 'pending'),
  ]);
}

function wantedIn({ spec, status }: ResourceSlice, { composition }: Place): readonly Wanted[] | undefined {
  const resources = spec?.resources ?? [];
  const manifests = resources
    .map((resource) => readManifest(resource, composition))
    .filter((manifest) => typeof manifest !== 'string');
  const isApplied = composition.metadata.deletionTimestamp === undefined;
  // In a deletion all objects go: what cannot be read keeps none of them.
  if (manifests.length < resources.length && isApplied) return undefined;
  const recorded = new Set((status?.inventory ?? []).map((entry) => objectKey(entry)));
  return manifests
    .filter((manifest) => !manifest.deleted)
    .map((manifest) => {
      const key = manifestKey(manifest);
      const isPending = isApplied && inventoryEntry(manifest) !== undefined && !recorded.has(key);
      return [key, isPending ? 'pending' : 'recorded'];
    });
}
