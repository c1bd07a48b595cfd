/** API groups of the originals; their identifiers are kept. */
export const KEEPER_GROUP = 'deckhouse.io';
export const MANIFEST_GROUP = 'state-snapshotter.deckhouse.io';
export const VOLUME_GROUP = 'storage-foundation.deckhouse.io';
export const VERSION = 'v1alpha1';

/** As whom Events are recorded. */
export const COMPONENT = 'capture';

export const ANNOTATIONS = {
  /** On an artifact: `namespace/name` of the request that it was made for. */
  request: 'storage-foundation.deckhouse.io/capture-request',
  /** On an artifact: uid of the request that it was made for. */
  requestUid: 'storage-foundation.deckhouse.io/capture-request-uid',
  /** On a claim: uid of the VolumeRestoreRequest that it was made for. */
  restoreUid: 'storage-foundation.deckhouse.io/restore-request-uid',
  /** On a StorageClass: the VolumeSnapshotClass for its volumes. */
  snapshotClass: 'storage.deckhouse.io/volumesnapshotclass',
} as const;

export const LABELS = {
  /** On a checkpoint: the name of its request, where a label's value can hold it. */
  sourceRequest: 'state-snapshotter.deckhouse.io/source-request',
  sourceNamespace: 'state-snapshotter.deckhouse.io/source-request-namespace',
  /** `"true"` on an object: `kubewright capture namespace` leaves it out. */
  exclude: 'state-snapshotter.deckhouse.io/exclude',
} as const;
