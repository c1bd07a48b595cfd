import { compareText, isJsonObject, type JsonObject, parseApiVersion, stringifyJson } from '@kubewright/kube';
import type { Manifest, ResourceSlice } from '../api.ts';
import { manifestName, readManifest } from '../read-manifest.ts';

/** Characters of all manifests of a slice: an object of the server has at most 1.5 MiB, and the status is as large. */
const SLICE_LIMIT = 500_000;

/** What an apply does with one object. */
export type ObjectChange = {
  /** `adopt`: it exists already, and is applied. `release`: it is no longer applied, and stays. */
  readonly change: 'create' | 'adopt' | 'change' | 'prune' | 'release';
  /** `ConfigMap shop/settings`. */
  readonly object: string;
  /** Who else has it; of an object that is adopted, its field managers where it is nobody's. */
  readonly heldBy?: readonly string[];
};

/** The same by the manifests alone. */
export type PlannedChange = {
  readonly change: 'create' | 'change' | 'prune';
  readonly object: string;
  readonly manifest: Manifest;
};

/** The manifests that a slice is to have. None: the slice goes. */
export type PlannedSlice = { readonly name: string; readonly resources: readonly Manifest[] };

export type ApplyPlan = {
  readonly changes: readonly PlannedChange[];
  readonly unchanged: number;
  /** The slices to write, in this order. */
  readonly slices: readonly PlannedSlice[];
};

/** The manifest of a slice: JSON in a string. */
export function manifestOf(object: JsonObject): Manifest {
  return { manifest: stringifyJson(object) };
}

type CurrentSlice = Pick<ResourceSlice, 'spec'> & { readonly metadata: { readonly name: string } };

/**
 * Which slices to write so that the Composition `name` has exactly these manifests. A manifest stays in its slice while
 * there is room, so that few slices change. Slices that gain manifests come first: at no time is an object without a
 * slice that is to stay, because it would be pruned.
 */
export function planApply(
  name: string,
  manifests: readonly JsonObject[],
  current: readonly CurrentSlice[],
): ApplyPlan {
  const wanted = new Map(manifests.map((object) => [keyOf(manifestOf(object)), manifestOf(object)]));
  const before = new Map(
    current.flatMap(({ spec }) => (spec?.resources ?? []).map((one) => [keyOf(one), one])),
  );
  const slices = packed(name, wanted, current);
  const changes = [
    ...[...wanted]
      .filter(([key, { manifest }]) => before.get(key)?.manifest !== manifest)
      .map(
        ([key, one]) =>
          ({
            change: before.has(key) ? 'change' : 'create',
            object: manifestName(one),
            manifest: one,
          }) as const,
      ),
    ...[...before]
      .filter(([key, { deleted }]) => !wanted.has(key) && deleted !== true)
      .map(([, one]) => ({ change: 'prune', object: manifestName(one), manifest: one }) as const),
  ];
  const unchanged = wanted.size - changes.filter(({ change }) => change !== 'prune').length;
  return { changes, unchanged, slices: changedSlices(slices, current) };
}

function packed(
  name: string,
  wanted: ReadonlyMap<string, Manifest>,
  current: readonly CurrentSlice[],
): ReadonlyMap<string, readonly Manifest[]> {
  const slices = new Map<string, Manifest[]>();
  const placed = new Set<string>();
  for (const { metadata, spec } of current.toSorted((a, b) =>
    compareText(a.metadata.name, b.metadata.name),
  )) {
    const kept: Manifest[] = [];
    for (const key of (spec?.resources ?? []).map(keyOf)) {
      const manifest = placed.has(key) ? undefined : wanted.get(key);
      if (manifest === undefined || !hasRoom(kept, manifest)) continue;
      kept.push(manifest);
      placed.add(key);
    }
    slices.set(metadata.name, kept);
  }
  for (const [key, manifest] of wanted) if (!placed.has(key)) place(manifest, slices, name);
  return slices;
}

function place(manifest: Manifest, slices: Map<string, Manifest[]>, name: string): void {
  for (const resources of slices.values())
    if (hasRoom(resources, manifest)) return void resources.push(manifest);
  let number = 1;
  while (slices.has(`${name}-${number}`)) number++;
  slices.set(`${name}-${number}`, [manifest]);
}

/** One manifest alone always fits: the server says whether it is too large. */
function hasRoom(resources: readonly Manifest[], { manifest = '' }: Manifest): boolean {
  const size = resources.reduce((sum, one) => sum + (one.manifest ?? '').length, 0);
  return size === 0 || size + manifest.length <= SLICE_LIMIT;
}

function changedSlices(
  slices: ReadonlyMap<string, readonly Manifest[]>,
  current: readonly CurrentSlice[],
): readonly PlannedSlice[] {
  const before = new Map(current.map(({ metadata, spec }) => [metadata.name, spec?.resources ?? []]));
  const gains = ([name, resources]: readonly [string, readonly Manifest[]]): boolean => {
    const keys = new Set((before.get(name) ?? []).map(keyOf));
    return resources.some((one) => !keys.has(keyOf(one)));
  };
  const changed = [...slices].filter(([name, resources]) => {
    const old = before.get(name);
    return old === undefined || stringifyJson([...old]) !== stringifyJson([...resources]);
  });
  return [...changed.filter(gains), ...changed.filter((one) => !gains(one))].map(([name, resources]) => ({
    name,
    resources,
  }));
}

/** The object of a manifest, whatever the version; a Patch is no manifest of what it changes. */
function keyOf(one: Manifest): string {
  const read = readManifest(one);
  if (typeof read === 'string') return one.manifest ?? '';
  const { apiVersion, kind, metadata } = read.object;
  const isPatch = read.patch !== undefined;
  const { namespace } = isJsonObject(metadata) ? metadata : {};
  return JSON.stringify([parseApiVersion(apiVersion).group, kind, namespace ?? '', metadata.name, isPatch]);
}
