import type { corev1, storagev1 } from '@kubewright/kube';
import type { Author } from '../../authority/read-author.ts';
import type { SnapshotClass, StoredContent } from '../../api/snapshots.ts';
import type { VolumeCaptureRequest } from '../../api/volume-capture-request.ts';
import type { KeeperState } from '../../requests/keeper-state.ts';
import type { LiveRead } from '../../requests/read-live.ts';

/** The source of a snapshot, as far as the chain of references can be followed. */
export type Source = {
  readonly claim?: LiveRead<corev1.PersistentVolumeClaim>;
  readonly volume?: LiveRead<corev1.PersistentVolume>;
  readonly storageClass?: LiveRead<storagev1.StorageClass>;
  readonly snapshotClass?: LiveRead<SnapshotClass>;
};

/** Everything that a decision about a VolumeCaptureRequest depends on, except the time. */
export type ObservedSnapshot = {
  readonly request: VolumeCaptureRequest;
  readonly keeper: KeeperState;
  /** Read while the request has no keeper: nothing begins without. */
  readonly author?: Author;
  readonly content?: StoredContent;
  /** Read until the request knows its content: later changes of the claim do not undo a snapshot. */
  readonly source: Source;
};
