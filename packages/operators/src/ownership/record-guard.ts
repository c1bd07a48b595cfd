import { ApiError, ignoreNotFound, keyOf } from '@kubewright/client';
import type { Stored } from '@kubewright/kube';
import type { Io } from '@kubewright/runtime';
import { OperatorError } from '../operator-error.ts';
import type { OwnershipTools } from './manifest-steps.ts';
import { RESOURCE_SLICES, type ResourceSlice } from './api.ts';
import { objectKey } from './inventory.ts';

/** A slice that was read so long ago is read again before the next object is created. */
const READ_AGAIN_MS = 2000;

/**
 * Keeps a pass that was held up from creating an object that was pruned since: nobody would delete it again. Its slice may
 * be gone then, or have it no longer on record.
 */
export type RecordGuard = {
  /** `act` of the object with this key. */
  readonly guarded: (act: OwnershipTools['act'], key: string) => OwnershipTools['act'];
  /** What a failed write of the status means. */
  readonly explain: (error: unknown) => unknown;
};

export function recordGuard(slice: Stored<ResourceSlice>, { client, clock }: Io): RecordGuard {
  let readAt = clock.monotonic();
  async function confirm(key: string): Promise<void> {
    if (clock.monotonic() - readAt < READ_AGAIN_MS) return;
    const now = await ignoreNotFound(client.get(RESOURCE_SLICES, keyOf(slice)));
    const isSame = now?.metadata.uid === slice.metadata.uid;
    if (!isSame || now?.status?.inventory?.some((entry) => objectKey(entry) === key) !== true)
      throw outdated(slice);
    readAt = clock.monotonic();
  }
  return {
    guarded: (act, key) => async (action, api) => {
      const creates = action.type === 'create' || (action.type === 'apply' && action.live === undefined);
      if (creates) await confirm(key);
      return act(action, api);
    },
    explain: (error) =>
      error instanceof ApiError && (error.code === 404 || error.code === 409)
        ? outdated(slice, error)
        : error,
  };
}

/** Not an ApiError: it ends the pass, unlike the failure of one manifest. */
function outdated({ metadata }: Stored<ResourceSlice>, cause?: ApiError): OperatorError {
  const message = `slice ${metadata.name} was written or deleted while its manifests were reconciled`;
  return new OperatorError('Unavailable', message, { cause });
}
