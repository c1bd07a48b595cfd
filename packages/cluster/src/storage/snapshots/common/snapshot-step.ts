import type { corev1, Stored } from '@kubewright/kube';
import type { EventNote } from '@kubewright/runtime';
import type {
  VolumeSnapshot,
  VolumeSnapshotClass,
  VolumeSnapshotContent,
  VolumeSnapshotStatus,
} from '../api.ts';

/** Everything that a decision about one VolumeSnapshot needs. */
export type ObservedSnapshot = {
  readonly snapshot: Stored<VolumeSnapshot>;
  /** The one that it is bound to, that it names, or that would have been made for it. */
  readonly content: Stored<VolumeSnapshotContent> | undefined;
  /** The claim that is or was snapshotted, and its volume. */
  readonly claim: Stored<corev1.PersistentVolumeClaim> | undefined;
  readonly volume: Stored<corev1.PersistentVolume> | undefined;
  readonly classes: readonly Stored<VolumeSnapshotClass>[];
  /** Some other snapshot of the claim is not ready yet. */
  readonly claimIsUsed: boolean;
  /** A claim waits for a volume made from it. */
  readonly isBeingRestored: boolean;
};

/** The next thing to do; what follows from it is seen then. */
export type SnapshotStep =
  | { readonly type: 'none' }
  | { readonly type: 'updateSnapshot'; readonly snapshot: VolumeSnapshot }
  | { readonly type: 'updateClaim'; readonly claim: Stored<corev1.PersistentVolumeClaim> }
  | { readonly type: 'updateContent'; readonly content: VolumeSnapshotContent }
  | { readonly type: 'deleteContent'; readonly content: VolumeSnapshotContent }
  | { readonly type: 'createContent'; readonly content: VolumeSnapshotContent; readonly note: EventNote }
  | { readonly type: 'status'; readonly status: VolumeSnapshotStatus; readonly notes: readonly EventNote[] }
  /** Reported in the status too, unless the snapshot is being deleted; tried again. */
  | { readonly type: 'fail'; readonly reason: string; readonly message: string };

export const NONE: SnapshotStep = { type: 'none' };
