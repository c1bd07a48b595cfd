import type { Client } from '@kubewright/client';
import { OperatorError } from '../../operator-error.ts';
import { ANNOTATIONS, LABELS } from '../api/annotations.ts';
import { SNAPSHOT_CONTENTS } from '../api/snapshots.ts';
import { isExport } from '../export/format-of.ts';
import type { ClaimSources } from '../restore/claim-source.ts';

/** Finds the snapshots of a checkpoint by their label. */
export async function snapshotsOf(client: Client, checkpoint: string): Promise<ClaimSources> {
  if (isExport(checkpoint))
    throw new OperatorError('Usage', 'snapshots are no part of an export: --volumes needs a checkpoint');
  const labelSelector = `${LABELS.checkpoint}=${checkpoint}`;
  const { items } = await client.list(SNAPSHOT_CONTENTS, { labelSelector });
  const found = items.flatMap((content) => {
    const claim = content.metadata.annotations?.[ANNOTATIONS.claim];
    return claim === undefined ? [] : [[claim, content] as const];
  });
  if (found.length > 0) return new Map(found);
  const message = `no snapshot was taken with ManifestCheckpoint ${checkpoint}, or it is gone; "kubewright capture application" takes them`;
  throw new OperatorError('NotFound', message);
}
