import { ApiError, ignoreNotFound, keyOf } from '@kubewright/client';
import type { Stored } from '@kubewright/kube';
import type { Io } from '@kubewright/runtime';
import type { AnyKindApi } from '../kit/any-kind-api.ts';
import { OperatorError } from '../operator-error.ts';
import type { Elsewhere, OwnershipTools } from './manifest-steps.ts';
import { FIELD_MANAGER, RESOURCE_SLICES, type ResourceSlice } from './api.ts';
import { objectKey } from './inventory.ts';

/** A slice that was read so long ago is read again before an object is created. */
const READ_AGAIN_MS = 2000;

/**
 * Keeps a pass that is behind, because it or one of its requests was held up, from leaving an object that was pruned since:
 * nobody would delete it again. Its slice may be gone then, or have it no longer on record.
 */
export type RecordGuard = {
  /** `act` of the object with this key. */
  readonly guarded: (act: OwnershipTools['act'], key: string) => OwnershipTools['act'];
  /** Rejects where the slice, as the cache had it, is another on the server: nothing may be written or deleted for it. */
  readonly confirmCached: () => Promise<void>;
  /**
   * At the end of the pass, however it ends: deletes what it created that is not on record, and rejects then. Reads the slice
   * only for what was created after the last write of its status: that write was stored by the slice that the pass knows.
   */
  readonly settle: () => Promise<void>;
  /** What a failed write of the status means. */
  readonly explain: (error: unknown) => unknown;
};

type Guarded = {
  readonly slice: Stored<ResourceSlice>;
  readonly elsewhere: Elsewhere;
  /** The slice is the cache's. */
  readonly isCached?: boolean;
  /** The resourceVersion of the slice as the pass knows it. */
  readonly version: () => string;
};

type Created = { readonly object: Stored; readonly version: string; readonly api: AnyKindApi };

export function recordGuard(guarded: Guarded, { client, clock }: Io): RecordGuard {
  const { slice, elsewhere, version } = guarded;
  const reads = sliceReads(guarded, { client, clock });
  const created = new Map<string, Created>();
  return {
    confirmCached: reads.confirmCached,
    guarded: (act, key) => async (action, api) => {
      await reads.confirmCached();
      const creates = action.type === 'create' || (action.type === 'apply' && action.live === undefined);
      if (!creates) return act(action, api);
      await reads.confirm(key);
      const written = await act(action, api);
      if (written.object !== undefined) created.set(key, { object: written.object, version: version(), api });
      return written;
    },
    async settle() {
      const open = [...created].filter(([, entry]) => entry.version === version());
      created.clear();
      const now = open.length === 0 ? undefined : await reads.read();
      const orphans = open.filter(([key]) => !reads.has(now, key));
      for (const [key, { object, api }] of orphans)
        await deleteOrphan(object, key, { api, client, elsewhere, slice });
      if (orphans.length > 0) throw outdated(slice);
    },
    explain: (error) => (isOutdated(error) ? outdated(slice, error) : error),
  };
}

/** Reads of the slice on the server, no more than needed. */
function sliceReads(
  { slice, isCached = false }: Guarded,
  { client, clock }: Pick<Io, 'client' | 'clock'>,
): Pick<RecordGuard, 'confirmCached'> & {
  /** Rejects where the object is no longer on record. */
  readonly confirm: (key: string) => Promise<void>;
  readonly read: () => Promise<Stored<ResourceSlice> | undefined>;
  readonly has: (now: ResourceSlice | undefined, key: string) => boolean;
} {
  let isConfirmed = !isCached;
  let readAt = clock.monotonic();
  /** The slice as it was read last, if it was read again: what it has on record then may be less. */
  let last: ResourceSlice | undefined;
  const read = () => ignoreNotFound(client.get(RESOURCE_SLICES, keyOf(slice)));
  const has = (now: ResourceSlice | undefined, key: string): boolean =>
    now?.metadata.uid === slice.metadata.uid && isOnRecord(now, key);
  const note = (now: ResourceSlice | undefined): void => {
    last = now;
    readAt = clock.monotonic();
  };
  return {
    read,
    has,
    async confirm(key) {
      const isRecent = clock.monotonic() - readAt < READ_AGAIN_MS;
      if (isRecent && (last === undefined || isOnRecord(last, key))) return;
      const now = await read();
      if (!has(now, key)) throw outdated(slice);
      note(now);
    },
    async confirmCached() {
      if (isConfirmed) return;
      const now = await read();
      if (now === undefined || !isSameSpec(now, slice)) throw outdated(slice);
      isConfirmed = true;
      note(now);
    },
  };
}

function isSameSpec({ metadata: now }: Stored<ResourceSlice>, { metadata }: Stored<ResourceSlice>): boolean {
  const isGoing = now.deletionTimestamp !== undefined;
  return now.uid === metadata.uid && now.generation === metadata.generation && !isGoing;
}

function isOutdated(error: unknown): error is ApiError {
  return error instanceof ApiError && (error.code === 404 || error.code === 409);
}

type Around = Pick<Io, 'client'> &
  Pick<Guarded, 'elsewhere' | 'slice'> & {
    readonly api: AnyKindApi;
  };

/** Another slice may have taken the object over, and an apply may have found one that somebody else has created. */
async function deleteOrphan(
  created: Stored,
  key: string,
  { api, client, elsewhere, slice }: Around,
): Promise<void> {
  if (!isOurs(created)) return;
  const { items } = await client.list(RESOURCE_SLICES, { namespace: slice.metadata.namespace });
  if (items.some((other) => isOnRecord(other, key))) return;
  const { names, unrecorded } = await elsewhere.wantedBy(created);
  if (names.length === 0) await api.delete(created, 'Background');
  // What cannot be handed over now is, if it still has to be, when the others apply it.
  else if (unrecorded.length > 0) await elsewhere.handOver(created);
}

function isOnRecord(now: ResourceSlice | undefined, key: string): boolean {
  return now?.status?.inventory?.some((entry) => objectKey(entry) === key) === true;
}

function isOurs({ metadata: { managedFields = [] } }: Stored): boolean {
  return managedFields.length > 0 && managedFields.every(({ manager }) => manager === FIELD_MANAGER);
}

/** Not an ApiError: it ends the pass, unlike the failure of one manifest. */
function outdated({ metadata }: Stored<ResourceSlice>, cause?: ApiError): OperatorError {
  const message = `slice ${metadata.name} was written or deleted while its manifests were reconciled`;
  return new OperatorError('Unavailable', message, { cause });
}
