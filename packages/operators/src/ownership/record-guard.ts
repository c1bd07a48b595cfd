import { ApiError, ignoreNotFound, keyOf } from '@kubewright/client';
import type { Stored } from '@kubewright/kube';
import type { Io } from '@kubewright/runtime';
import type { AnyKindApi } from '../kit/any-kind-api.ts';
import { OperatorError } from '../operator-error.ts';
import type { OwnershipTools } from './manifest-steps.ts';
import type { OtherCompositions } from './holders/other-compositions.ts';
import type { Written } from './act.ts';
import { FIELD_MANAGER, RESOURCE_SLICES, type ResourceSlice } from './api.ts';
import { objectKey } from './inventory.ts';

/** A slice that was read so long ago is read again before an object is created, and after that. */
const READ_AGAIN_MS = 2000;

/**
 * Keeps a pass that was held up from creating an object that was pruned since: nobody would delete it again. Its slice may
 * be gone then, or have it no longer on record. Where the request itself was held up, what it created is deleted.
 */
export type RecordGuard = {
  /** `act` of the object with this key. */
  readonly guarded: (act: OwnershipTools['act'], key: string) => OwnershipTools['act'];
  /** Rejects where the slice, as the cache had it, is another on the server: nothing may be written or deleted for it. */
  readonly confirmCached: () => Promise<void>;
  /** What a failed write of the status means. */
  readonly explain: (error: unknown) => unknown;
};

export function recordGuard(
  slice: Stored<ResourceSlice>,
  { client, clock }: Io,
  { wantedBy }: Pick<OtherCompositions, 'wantedBy'>,
  isCached = false,
): RecordGuard {
  let isConfirmed = !isCached;
  let readAt = clock.monotonic();
  const around = { client, wantedBy, slice };
  async function confirm(key: string): Promise<void> {
    if (clock.monotonic() - readAt < READ_AGAIN_MS) return;
    const now = await ignoreNotFound(client.get(RESOURCE_SLICES, keyOf(slice)));
    const isSame = now?.metadata.uid === slice.metadata.uid;
    if (!isSame || !isOnRecord(now, key)) throw outdated(slice);
    readAt = clock.monotonic();
  }
  async function confirmCached(): Promise<void> {
    if (isConfirmed) return;
    const now = await ignoreNotFound(client.get(RESOURCE_SLICES, keyOf(slice)));
    if (now === undefined || !isSameSpec(now, slice)) throw outdated(slice);
    isConfirmed = true;
    readAt = clock.monotonic();
  }
  return {
    confirmCached,
    guarded: (act, key) => async (action, api) => {
      await confirmCached();
      const creates = action.type === 'create' || (action.type === 'apply' && action.live === undefined);
      if (!creates) return act(action, api);
      await confirm(key);
      const written = await act(action, api);
      await confirm(key).catch((error: unknown) => undoAndThrow(error, written, key, { ...around, api }));
      return written;
    },
    explain: (error) => (isOutdated(error) ? outdated(slice, error) : error),
  };
}

function isSameSpec({ metadata: now }: Stored<ResourceSlice>, { metadata }: Stored<ResourceSlice>): boolean {
  const isGoing = now.deletionTimestamp !== undefined;
  return now.uid === metadata.uid && now.generation === metadata.generation && !isGoing;
}

async function undoAndThrow(
  error: unknown,
  { object }: Written,
  key: string,
  around: Around,
): Promise<never> {
  if (error instanceof OperatorError && object !== undefined) await deleteOrphan(object, key, around);
  throw error;
}

function isOutdated(error: unknown): error is ApiError {
  return error instanceof ApiError && (error.code === 404 || error.code === 409);
}

type Around = Pick<Io, 'client'> &
  Pick<OtherCompositions, 'wantedBy'> & { readonly api: AnyKindApi; readonly slice: Stored<ResourceSlice> };

/** Another slice may have taken the object over, and an apply may have found one that somebody else has created. */
async function deleteOrphan(
  created: Stored,
  key: string,
  { api, client, wantedBy, slice }: Around,
): Promise<void> {
  if (!isOurs(created)) return;
  const { items } = await client.list(RESOURCE_SLICES, { namespace: slice.metadata.namespace });
  if (items.some((other) => isOnRecord(other, key))) return;
  if ((await wantedBy(created)).length > 0) return;
  await api.delete(created, 'Background');
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
