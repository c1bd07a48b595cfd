import type { Client } from '@kubewright/client';
import { OperatorError } from '../../operator-error.ts';
import { ANNOTATIONS, LABELS } from '../api/annotations.ts';
import { SNAPSHOT_CONTENTS } from '../api/snapshots.ts';
import { isExport } from '../export/format-of.ts';

/** The snapshots that were taken with a checkpoint, by the names of their claims. */
export async function snapshotsOf(client: Client, checkpoint: string): Promise<ReadonlyMap<string, string>> {
  if (isExport(checkpoint))
    throw new OperatorError('Usage', 'snapshots are no part of an export: --volumes needs a checkpoint');
  const labelSelector = `${LABELS.checkpoint}=${checkpoint}`;
  const { items } = await client.list(SNAPSHOT_CONTENTS, { labelSelector });
  const found = items.flatMap(({ metadata: { name, annotations = {} } }) => {
    const claim = annotations[ANNOTATIONS.claim];
    return claim === undefined ? [] : [[claim, name] as const];
  });
  if (found.length > 0) return new Map(found);
  const message = `no snapshot was taken with ManifestCheckpoint ${checkpoint}, or it is gone; "kubewright capture application" takes them`;
  throw new OperatorError('NotFound', message);
}
