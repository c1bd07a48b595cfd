import type { corev1, storagev1, Stored } from '@kubewright/kube';
import type { Snapshot, SnapshotContent, StoredContent } from '../../api/snapshots.ts';
import type { VolumeRestoreRequest } from '../../api/volume-restore-request.ts';
import type { KeeperState } from '../../requests/keeper-state.ts';
import type { LiveRead } from '../../requests/read-live.ts';

/** What a claim is restored from and through. */
export type Passage = {
  /** The snapshot that is asked for. */
  readonly source?: LiveRead<SnapshotContent>;
  readonly storageClass?: LiveRead<storagev1.StorageClass>;
  /** The same snapshot once more, as provisioners know snapshots: bound to a VolumeSnapshot of the claim's namespace. */
  readonly content?: StoredContent;
  readonly snapshot?: Stored<Snapshot>;
};

/** All that a decision about a VolumeRestoreRequest rests on, but the time. */
export type ObservedRestore = {
  readonly request: VolumeRestoreRequest;
  readonly keeper: KeeperState;
  readonly claim?: Stored<corev1.PersistentVolumeClaim>;
  /** The volume that the claim is bound to. */
  readonly volume?: Stored<corev1.PersistentVolume>;
  /** Read only until there is a claim. */
  readonly passage: Passage;
};
