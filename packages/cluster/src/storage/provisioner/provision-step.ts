import type { corev1, storagev1, Stored } from '@kubewright/kube';
import type { VolumeOrder, VolumeSource } from '../backend/storage-backend.ts';

export type Claim = Stored<corev1.PersistentVolumeClaim>;
export type Volume = Stored<corev1.PersistentVolume>;

/** Where a claim's data is to come from, as the cluster knows it. */
export type ObservedSource =
  | { readonly type: 'none' }
  /** A foreign data source populates the volume of such a claim. */
  | { readonly type: 'foreign' }
  | { readonly type: 'unfit'; readonly why: string }
  | { readonly type: 'known'; readonly source: VolumeSource };

/** Everything that a decision about one claim needs. */
export type ObservedClaim = {
  readonly claim: Claim;
  readonly storageClass: Stored<storagev1.StorageClass> | undefined;
  /** The volume that was made for the claim is there already. */
  readonly isMade: boolean;
  readonly source: ObservedSource;
  /** Where the volume is to be reached from, if the driver cares. */
  readonly topology: Readonly<Record<string, string>>;
};

export type ProvisionStep =
  | { readonly type: 'none'; readonly reason: string }
  | { readonly type: 'fail'; readonly message: string }
  | {
      readonly type: 'create';
      readonly order: VolumeOrder;
      readonly volume: (handle: string) => corev1.PersistentVolume;
    };
