import type { corev1, storagev1 } from '@kubewright/kube';
import type { SnapshotClass, StoredContent } from '../../api/snapshots.ts';
import type { VolumeCaptureRequest } from '../../api/volume-capture-request.ts';
import type { KeeperState } from '../../requests/keeper-state.ts';
import type { LiveRead } from '../../requests/read-live.ts';

/** What a snapshot is taken of, as far as one leads to the next. */
export type Source = {
  readonly claim?: LiveRead<corev1.PersistentVolumeClaim>;
  readonly volume?: LiveRead<corev1.PersistentVolume>;
  readonly storageClass?: LiveRead<storagev1.StorageClass>;
  readonly snapshotClass?: LiveRead<SnapshotClass>;
};

/** All that a decision about a VolumeCaptureRequest rests on, but the time. */
export type ObservedSnapshot = {
  readonly request: VolumeCaptureRequest;
  readonly keeper: KeeperState;
  readonly content?: StoredContent;
  /** Read only until there is a content: what happens to the claim later does not undo a snapshot. */
  readonly source: Source;
};
