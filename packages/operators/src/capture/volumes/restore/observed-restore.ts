import type { corev1, storagev1, Stored } from '@kubewright/kube';
import type { Author } from '../../authority/read-author.ts';
import type { Snapshot, SnapshotContent, StoredContent } from '../../api/snapshots.ts';
import type { VolumeRestoreRequest } from '../../api/volume-restore-request.ts';
import type { KeeperState } from '../../requests/keeper-state.ts';
import type { LiveRead } from '../../requests/read-live.ts';
import type { ProvisioningFailure } from './provisioning-failure.ts';

/** The objects that a claim is restored from and through. */
export type Passage = {
  /** The source snapshot of the request. */
  readonly source?: LiveRead<SnapshotContent>;
  readonly storageClass?: LiveRead<storagev1.StorageClass>;
  /**
   * A second content for the same snapshot, bound to a VolumeSnapshot in the claim's namespace, as provisioners need
   * it.
   */
  readonly content?: StoredContent;
  readonly snapshot?: Stored<Snapshot>;
};

/** Everything that a decision about a VolumeRestoreRequest depends on, except the time. */
export type ObservedRestore = {
  readonly request: VolumeRestoreRequest;
  readonly keeper: KeeperState;
  /** Read while the request has no keeper: nothing begins without. */
  readonly author?: Author;
  readonly claim?: Stored<corev1.PersistentVolumeClaim>;
  /** The volume that the claim is bound to. */
  readonly volume?: Stored<corev1.PersistentVolume>;
  /** What the provisioner last reported of a claim without a volume. */
  readonly failure?: ProvisioningFailure;
  /** Read only until there is a claim. */
  readonly passage: Passage;
};
