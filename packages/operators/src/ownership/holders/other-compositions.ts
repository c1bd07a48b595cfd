import { ignoreNotFound } from '@kubewright/client';
import { compareText, defined, type Stored } from '@kubewright/kube';
import type { Io } from '@kubewright/runtime';
import { type Container, containerOf } from '../../kit/contents-of.ts';
import {
  ANNOTATIONS,
  type Composition,
  compositionOf,
  COMPOSITIONS,
  RESOURCE_SLICES,
  type ResourceSlice,
} from '../api.ts';
import { manifestKey, objectKey } from '../inventory.ts';
import type { DesiredManifest, RivalManifest } from '../read-manifest.ts';
import { sliceTask } from '../slice-task.ts';
import { claimOn } from './claim-on.ts';
import { recordIn, unrecordedEntry } from './record-in.ts';
import { BY_OBJECT, wantedManifests, wantsObjects } from './wants-objects.ts';

/** What other Compositions say of objects, by {@link objectKey}. */
export type OtherCompositions = {
  /** Their manifests, those that come first at the front; as the cache has them. */
  readonly manifestsOf: (key: string) => readonly RivalManifest[];
  /** Those that want a live object or what goes with it, as the server has them: it is asked before an object is deleted. */
  readonly wantedBy: (live: Stored) => Promise<Wanting>;
  /**
   * Puts a live object on record in the slices that want it: one that drops it before it has applied it deletes it then.
   * `conflict`: one of them was written meanwhile.
   */
  readonly handOver: (live: Stored) => Promise<'done' | 'conflict'>;
  /** Whether one has applied it. */
  readonly hasApplied: (key: string) => boolean;
};

/** The Compositions that want an object, and those of their slices that want it and do not have it on record. */
export type Wanting = {
  readonly names: readonly string[];
  readonly unrecorded: readonly Stored<ResourceSlice>[];
};

/** A list of all slices that was read so long ago is read again before an object is deleted. */
const READ_AGAIN_MS = 2000;
/** Slices per page: others use the process between two pages. */
const PAGE = 50;

export function otherCompositions(own: Composition, io: Io): OtherCompositions {
  const { cache, client, clock } = io;
  const isOther = (slice: ResourceSlice): boolean => compositionOf(slice)?.uid !== own.metadata.uid;
  const slicesWith = (key: string): readonly Stored<ResourceSlice>[] =>
    cache.byIndex(RESOURCE_SLICES, BY_OBJECT, key).filter(isOther);
  let listed: { readonly at: number; readonly slices: readonly Stored<ResourceSlice>[] } | undefined;
  async function allSlices(): Promise<readonly Stored<ResourceSlice>[]> {
    if (listed === undefined || clock.monotonic() - listed.at >= READ_AGAIN_MS)
      listed = { at: clock.monotonic(), slices: (await listSlices(client)).filter(isOther) };
    return listed.slices;
  }
  const wantedBy = async (live: Stored): Promise<Wanting> =>
    compositionsWanting(client, await allSlices(), live, containerOf(live));
  return {
    hasApplied: (key) =>
      slicesWith(key).some(({ status }) =>
        (status?.inventory ?? []).some((entry) => objectKey(entry) === key),
      ),
    manifestsOf: (key) =>
      slicesWith(key)
        .flatMap((slice) => rivalsIn(slice, ownerOf(slice, cache), key))
        .map(({ composition, manifest }) => ({
          holder: nameOf(composition),
          isFirst: compareText(rank(composition), rank(own)) < 0,
          rank: rank(composition),
          manifest,
        }))
        .toSorted((a, b) => compareText(a.rank, b.rank)),
    wantedBy,
    async handOver(live) {
      const { unrecorded } = await wantedBy(live);
      // The status of those that are written is another then.
      listed = undefined;
      return recordIn(unrecorded, live, io);
    },
  };
}

/** The Compositions among those of these slices that want a live object, or what is in it, as the server has them. */
export async function compositionsWanting(
  client: Io['client'],
  slices: readonly Stored<ResourceSlice>[],
  live: Stored,
  container: Container | undefined,
): Promise<Wanting> {
  const claims = new Map<string, string>();
  const unrecorded: Stored<ResourceSlice>[] = [];
  for (const slice of slices) {
    const claim = claimOn(slice, live, container);
    const composition = claim === undefined ? undefined : await ownerWanting(slice, client);
    if (claim === undefined || composition === undefined) continue;
    const name = nameOf(composition);
    if (claim === '' || !claims.has(name)) claims.set(name, claim);
    if (claim === '' && unrecordedEntry(slice, live) !== undefined) unrecorded.push(slice);
  }
  const names = [...claims].map(([name, claim]) => (claim === '' ? name : `${name} (${claim})`));
  return { names: names.toSorted(compareText), unrecorded };
}

/** The Composition of a slice, as the server has it, if that wants the slice's objects. */
async function ownerWanting(
  slice: Stored<ResourceSlice>,
  client: Io['client'],
): Promise<Composition | undefined> {
  const owner = keyOfOwner(slice);
  const composition = owner && (await ignoreNotFound(client.get(COMPOSITIONS, owner)));
  return composition !== undefined && wantsObjects(slice, composition) ? composition : undefined;
}

/** The slices of a namespace, or of all. */
export async function listSlices(
  client: Io['client'],
  namespace?: string,
): Promise<readonly Stored<ResourceSlice>[]> {
  const slices: Stored<ResourceSlice>[] = [];
  let next: string | undefined;
  do {
    const page = await client.list(RESOURCE_SLICES, {
      limit: PAGE,
      ...defined({ namespace, continue: next }),
    });
    slices.push(...page.items);
    next = page.continue;
  } while (next !== undefined);
  return slices;
}

function keyOfOwner(
  slice: ResourceSlice,
): { readonly namespace?: string; readonly name: string } | undefined {
  const owner = compositionOf(slice);
  const { namespace } = slice.metadata;
  return owner && { ...defined({ namespace }), name: owner.name };
}

function ownerOf(slice: ResourceSlice, cache: Io['cache']): Composition | undefined {
  const key = keyOfOwner(slice);
  return key && cache.get(COMPOSITIONS, key);
}

type Rival = { readonly composition: Composition; readonly manifest: DesiredManifest };

/** Those that are applied: what is only created, or left alone, has no values that count. */
function rivalsIn(slice: ResourceSlice, composition: Composition | undefined, key: string): readonly Rival[] {
  if (composition === undefined || sliceTask(slice, composition) !== 'apply') return [];
  return wantedManifests(slice, composition)
    .filter((manifest) => manifestKey(manifest) === key && isApplied(manifest))
    .map((manifest) => ({ composition, manifest }));
}

function isApplied({ settings }: DesiredManifest): boolean {
  return (
    settings[ANNOTATIONS.disableReconciliation] !== 'true' && settings[ANNOTATIONS.disableUpdates] !== 'true'
  );
}

function nameOf({ metadata: { namespace, name } }: Composition): string {
  return `Composition ${namespace}/${name}`;
}

/** The oldest Composition comes first. */
function rank({ metadata }: Composition): string {
  const { creationTimestamp, namespace, name } = metadata;
  return `${creationTimestamp} ${namespace}/${name}`;
}
