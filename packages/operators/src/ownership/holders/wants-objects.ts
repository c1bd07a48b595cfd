import { type Composition, compositionOf, type ResourceSlice } from '../api.ts';
import { manifestKey } from '../inventory.ts';
import { type DesiredManifest, readManifest } from '../read-manifest.ts';
import { hasSynthesizer, listedSlices } from '../slice-task.ts';

/** Index of slices by the keys of the objects that they have on record, and that their manifests want. */
export const BY_OBJECT = 'object';

/**
 * Whether the objects of a slice are wanted: by a Composition that is not being deleted, in its synthesis or in one to
 * come. Unlike the task of a slice, this holds before the status of the Composition lists it.
 */
export function wantsObjects(slice: ResourceSlice, composition: Composition | undefined): boolean {
  const uid = compositionOf(slice)?.uid;
  if (composition === undefined || uid === undefined || composition.metadata.uid !== uid) return false;
  const isGoing = [slice, composition].some(({ metadata }) => metadata.deletionTimestamp !== undefined);
  return !isGoing && isOfSynthesis(slice, composition);
}

/** Of the present one, or of one to come. */
function isOfSynthesis({ metadata, spec }: ResourceSlice, composition: Composition): boolean {
  const { currentSynthesis, inFlightSynthesis } = composition.status ?? {};
  if (!hasSynthesizer(composition) || currentSynthesis === undefined) return true;
  const isToCome = inFlightSynthesis !== undefined && inFlightSynthesis.uuid === spec?.synthesisUUID;
  return isToCome || listedSlices(composition).includes(metadata.name ?? '');
}

/** The manifests of a slice by which an object has to exist. Those that cannot be read are of no object. */
export function wantedManifests(
  { spec }: ResourceSlice,
  composition?: Composition,
): readonly DesiredManifest[] {
  return (spec?.resources ?? []).flatMap((resource) => {
    const manifest = readManifest(resource, composition);
    if (typeof manifest === 'string') return [];
    return manifest.deleted || manifest.patch !== undefined ? [] : [manifest];
  });
}

/** Of so many slices the objects are remembered. */
const REMEMBERED = 10_000;

/** The keys of the objects that slices want. A slice is read once for each of its generations. */
export function wantedKeys(): (slice: ResourceSlice) => readonly string[] {
  const known = new Map<
    string,
    { readonly generation: number | undefined; readonly keys: readonly string[] }
  >();
  return (slice) => {
    const { uid = '', generation } = slice.metadata;
    const before = known.get(uid);
    if (before !== undefined && before.generation === generation && generation !== undefined)
      return before.keys;
    const keys = [...new Set(wantedManifests(slice).map((manifest) => manifestKey(manifest)))];
    known.delete(uid);
    known.set(uid, { generation, keys });
    for (const oldest of known.keys()) {
      if (known.size <= REMEMBERED) break;
      known.delete(oldest);
    }
    return keys;
  };
}
