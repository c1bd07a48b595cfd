import { type Client, type Clock, isConflict } from '@kubewright/client';
import type { KubeObject } from '@kubewright/kube';
import { callWithin } from '../call-within.ts';
import { RuntimeError } from '../runtime-error.ts';
import type { ElectionSettings } from './election-state.ts';
import { isStoredUnchanged, LEASES, readLease, renewTimeAfter, withRecord } from './lease-record.ts';

type Holder = { readonly client: Client; readonly clock: Clock; readonly settings: ElectionSettings };

/** Gives up a Lease that is held, within a retry period, so that the next leader need not wait for its end. Returns it as stored. */
export function releaseLease(lease: KubeObject, holder: Holder): Promise<KubeObject> {
  const { signal } = new AbortController();
  return callWithin(holder.clock, holder.settings.retryPeriodMs, signal, (end) =>
    write(lease, holder, end).catch(async (error: unknown) => {
      // The renewal that the stop aborted has taken effect all the same.
      const landed = isConflict(error) ? await ownLease(holder, end) : undefined;
      if (landed === undefined) throw error;
      return write(landed, holder, end);
    }),
  );
}

async function write(lease: KubeObject, { client, clock }: Holder, signal: AbortSignal): Promise<KubeObject> {
  const { transitions, renewTime } = readLease(lease);
  const now = renewTimeAfter(renewTime, clock.now());
  const record = { holder: '', durationMs: 1000, acquireTime: now, renewTime: now, transitions };
  const wanted = withRecord(lease, record);
  const stored = await client.update(LEASES, wanted, { signal });
  if (!isStoredUnchanged(stored, wanted))
    throw new RuntimeError('InvalidState', 'the lease was not stored as sent: a mutating webhook changes it');
  return stored;
}

/** The Lease as it is now; undefined when another candidate holds it. */
async function ownLease({ client, settings }: Holder, signal: AbortSignal): Promise<KubeObject | undefined> {
  const { namespace, name, identity } = settings;
  const lease = await client.get(LEASES, { namespace, name }, { signal });
  return readLease(lease).holder === identity ? lease : undefined;
}
