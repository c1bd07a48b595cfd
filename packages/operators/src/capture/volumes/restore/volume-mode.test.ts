import { describe, expect, test } from 'vitest';
import type { StoredContent, VolumeMode } from '../../api/snapshots.ts';
import type { VolumeRestoreRequest } from '../../api/volume-restore-request.ts';
import { requestMeta, stored, storedKeeper } from '../../testing/requests.ts';
import { newClaim, newContent } from './new-claim.ts';
import { restorable } from './restorable.ts';

const ALLOW = 'snapshot.storage.kubernetes.io/allow-volume-mode-change';

function requestFor(volumeMode?: VolumeMode): VolumeRestoreRequest {
  return {
    apiVersion: 'storage-foundation.deckhouse.io/v1alpha1',
    kind: 'VolumeRestoreRequest',
    metadata: requestMeta('back'),
    spec: {
      sourceRef: { name: 'snap' },
      pvcTemplate: {
        metadata: { name: 'data' },
        spec: { storageClassName: 'fast', ...(volumeMode && { volumeMode }) },
      },
      pvcRetention: 'Keep',
      externalErrorPolicy: 'Terminal',
    },
  };
}

function snapshotOf(
  sourceVolumeMode: VolumeMode | undefined,
  annotations: Readonly<Record<string, string>> = {},
): StoredContent {
  return stored({
    apiVersion: 'snapshot.storage.k8s.io/v1',
    kind: 'VolumeSnapshotContent',
    metadata: { name: 'snap', annotations },
    spec: {
      driver: 'disk',
      deletionPolicy: 'Delete',
      volumeSnapshotRef: { namespace: 'shop' },
      source: {},
      ...(sourceVolumeMode && { sourceVolumeMode }),
    },
    status: { readyToUse: true, snapshotHandle: 'snap-1', restoreSize: 1024 },
  } as const);
}

/** What is made for a restore: the mode of the claim, and whether its content allows another; or why nothing is. */
function madeFor(source: StoredContent, wanted?: VolumeMode): object {
  const request = requestFor(wanted);
  const keeper = storedKeeper(request, 'ret-pvc-uid-back');
  const storageClass = stored({
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: { name: 'fast' },
    provisioner: 'disk',
  } as const);
  const from = restorable(request, {
    source: { type: 'found', object: source },
    storageClass: { type: 'found', object: storageClass },
  });
  if (!('snapshotHandle' in from)) return from;
  return {
    mode: newClaim(request, keeper, from).spec.volumeMode,
    allowed: newContent(request, keeper, from).metadata.annotations?.[ALLOW],
  };
}

describe('the volumeMode of a restored claim', () => {
  test('is that of the captured volume', () =>
    expect(madeFor(snapshotOf('Block'))).toEqual({ mode: 'Block', allowed: undefined }));

  test('is the one that the request names', () => {
    expect(madeFor(snapshotOf('Block'), 'Block')).toMatchObject({ mode: 'Block' });
    expect(madeFor(snapshotOf(undefined), 'Block')).toMatchObject({ mode: 'Block' });
  });

  test('is not another one than that of the captured volume', () =>
    expect(madeFor(snapshotOf('Block'), 'Filesystem')).toEqual({
      reason: 'Incompatible',
      message: 'the claim wants volumeMode Filesystem, the snapshot is of a volume of mode Block',
    }));

  test('is another one where an administrator allows it on the snapshot', () => {
    const allowed = snapshotOf('Block', { [ALLOW]: 'true' });
    expect(madeFor(allowed, 'Filesystem')).toEqual({ mode: 'Filesystem', allowed: 'true' });
    const denied = snapshotOf('Block', { [ALLOW]: 'false' });
    expect(madeFor(denied, 'Filesystem')).toMatchObject({ reason: 'Incompatible' });
  });
});
