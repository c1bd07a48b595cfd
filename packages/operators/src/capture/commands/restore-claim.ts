import { type Client, isForbidden } from '@kubewright/client';
import type { Named } from '@kubewright/kube';
import type { StoredContent } from '../api/snapshots.ts';
import { VOLUME_RESTORE_REQUESTS, type VolumeRestoreRequest } from '../api/volume-restore-request.ts';
import { newRestoreRequest } from '../restore/claim-source.ts';

/** The requests of a namespace that have not ended: a restore that was interrupted has made them. */
export async function openRestores(
  client: Client,
  namespace: string,
): Promise<readonly VolumeRestoreRequest[]> {
  try {
    const { items } = await client.list(VOLUME_RESTORE_REQUESTS, { namespace });
    return items.filter(({ status }) => status?.completionTimestamp === undefined);
  } catch (error) {
    if (isForbidden(error)) return [];
    throw error;
  }
}

/** Requests that a claim is made with the data of a snapshot, unless that is requested already. */
export async function restoreClaim(
  client: Client,
  claim: Named,
  namespace: string,
  { source, open }: { readonly source: StoredContent; readonly open: readonly VolumeRestoreRequest[] },
): Promise<VolumeRestoreRequest> {
  const isOfClaim = ({ spec }: VolumeRestoreRequest): boolean =>
    spec.sourceRef.name === source.metadata.name && spec.pvcTemplate.metadata.name === claim.metadata.name;
  const request = newRestoreRequest(claim, namespace, source);
  return open.find(isOfClaim) ?? client.create(VOLUME_RESTORE_REQUESTS, request);
}
