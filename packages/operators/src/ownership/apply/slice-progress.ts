import type { InventoryEntry, Manifest, ResourceSlice, ResourceState } from '../api.ts';
import { manifestKey, objectKey } from '../inventory.ts';
import { manifestName, readManifest } from '../read-manifest.ts';
import { currentStates } from '../slice-states.ts';

/** How far the operator is with a slice. */
export type SliceProgress = {
  readonly isDone: boolean;
  /** Whether the operator has looked at the present manifests. */
  readonly isSeen: boolean;
  readonly objects: number;
  readonly ready: number;
  /** What is missing: an object, and why. Those with an error come first. */
  readonly missing: readonly string[];
};

/** How far the operator is with the present manifests of a slice, and with what they no longer have. */
export function sliceProgress(slice: ResourceSlice): SliceProgress {
  const { spec, status, metadata } = slice;
  const isGoing = metadata.deletionTimestamp !== undefined;
  const manifests = isGoing ? [] : (spec?.resources ?? []);
  // The operator has not looked at it yet: states of another generation say nothing.
  const isSeen = isGoing || status?.observedGeneration === metadata.generation;
  const states = isSeen ? currentStates(slice) : [];
  const open = manifests.flatMap((one, index) =>
    isReady(states[index]) ? [] : [{ name: manifestName(one), ...whyNotReady(states[index]) }],
  );
  const left = leftOver(status?.inventory ?? [], manifests);
  const missing = [...open, ...left].toSorted((a, b) => Number(b.isError) - Number(a.isError));
  return {
    isDone: !isGoing && missing.length === 0,
    isSeen,
    objects: manifests.length,
    ready: manifests.length - open.length,
    missing: missing.map(({ name, why }) => `${name}: ${why}`),
  };
}

/** The same of all slices of a Composition, in one line. */
export function describeProgress(slices: readonly SliceProgress[], shown: number): string {
  const sum = (of: 'objects' | 'ready'): number => slices.reduce((all, one) => all + one[of], 0);
  const missing = slices.flatMap((one) => one.missing);
  const more = missing.length > shown ? [`and ${missing.length - shown} more`] : [];
  return [`${sum('ready')} of ${sum('objects')} objects are ready`, ...missing.slice(0, shown), ...more].join(
    '; ',
  );
}

type Missing = { readonly why: string; readonly isError: boolean };

/** What no manifest has any more and is not gone yet. */
function leftOver(
  inventory: readonly InventoryEntry[],
  manifests: readonly Manifest[],
): readonly (Missing & { readonly name: string })[] {
  const wanted = new Set(
    manifests.flatMap((one) => {
      const read = readManifest(one);
      return typeof read === 'string' ? [] : [manifestKey(read)];
    }),
  );
  return inventory
    .filter((entry) => !wanted.has(objectKey(entry)))
    .map(({ kind, namespace, name, error }) => ({
      name: `${kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`,
      why: error === undefined ? 'not deleted yet' : `cannot be deleted: ${error}`,
      isError: error !== undefined,
    }));
}

function isReady(state: ResourceState | undefined): boolean {
  return state?.deleted === true || (state?.ready !== undefined && state.reconciled === true);
}

function whyNotReady({ reconciliationError, reconciled }: ResourceState = {}): Missing {
  if (reconciliationError !== undefined) return { why: reconciliationError, isError: true };
  return { why: reconciled === true ? 'not ready' : 'not applied', isError: false };
}
