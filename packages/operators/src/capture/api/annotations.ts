/** API groups of the original operators, unchanged. */
export const KEEPER_GROUP = 'deckhouse.io';
export const MANIFEST_GROUP = 'state-snapshotter.deckhouse.io';
export const VOLUME_GROUP = 'storage-foundation.deckhouse.io';
export const VERSION = 'v1alpha1';

/** The component that emits Events. */
export const COMPONENT = 'capture';

export const ANNOTATIONS = {
  /** On a request: the user who created it. Only admission writes it. */
  author: 'capture.kubewright.io/requested-by',
  /** On a request of a CaptureSchedule: the moment of its run. */
  scheduledAt: 'capture.kubewright.io/scheduled-at',
  /** On the snapshot of an application: the name of its claim. */
  claim: 'capture.kubewright.io/claim',
  /** On an artifact: `namespace/name` of its request. */
  request: 'storage-foundation.deckhouse.io/capture-request',
  /** On an artifact: uid of its request. */
  requestUid: 'storage-foundation.deckhouse.io/capture-request-uid',
  /** On a claim: uid of its VolumeRestoreRequest. */
  restoreUid: 'storage-foundation.deckhouse.io/restore-request-uid',
  /** On a volume: `"true"`, it was detached from its claim. */
  detached: 'storage-foundation.deckhouse.io/detached',
  /** On a StorageClass: the VolumeSnapshotClass for its volumes. */
  snapshotClass: 'storage.deckhouse.io/volumesnapshotclass',
} as const;

/** Annotations of external-snapshotter on a content, and its finalizer. */
export const SNAPSHOTTER = {
  /** The sidecar removes it, once the storage system holds no snapshot of a deleted content. */
  finalizer: 'snapshot.storage.kubernetes.io/volumesnapshotcontent-bound-protection',
  /** Its snapshot goes when it does. */
  beingDeleted: 'snapshot.storage.kubernetes.io/volumesnapshot-being-deleted',
  /** `"true"`: a volume of another mode may be made of its snapshot. */
  allowModeChange: 'snapshot.storage.kubernetes.io/allow-volume-mode-change',
  /** The Secret with the driver's credentials. */
  secretName: 'snapshot.storage.kubernetes.io/deletion-secret-name',
  secretNamespace: 'snapshot.storage.kubernetes.io/deletion-secret-namespace',
} as const;

export const LABELS = {
  /** On a checkpoint: the name of its request, if it fits into a label value. */
  sourceRequest: 'state-snapshotter.deckhouse.io/source-request',
  sourceNamespace: 'state-snapshotter.deckhouse.io/source-request-namespace',
  /** On the snapshot of an application: the checkpoint with its manifests. */
  checkpoint: 'capture.kubewright.io/checkpoint',
  /** On the requests of one `kubewright capture application`: the name of the one for its manifests. */
  application: 'capture.kubewright.io/application',
  /** `"true"` on an object: `kubewright capture namespace` skips it. */
  exclude: 'state-snapshotter.deckhouse.io/exclude',
} as const;
