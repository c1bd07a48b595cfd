import { hasFinalizer } from '@kubewright/runtime';
import type { corev1, storagev1, Stored } from '@kubewright/kube';

/** An attachment, and the volume that it is of, if that is there. */
export type ObservedAttachment = {
  readonly attachment: Stored<storagev1.VolumeAttachment>;
  readonly volume: Stored<corev1.PersistentVolume> | undefined;
};

export type AttacherStep =
  | { readonly type: 'none' }
  /** Neither the volume nor the attachment may vanish while one is attached. */
  | { readonly type: 'holdVolume'; readonly volume: Stored<corev1.PersistentVolume> }
  | { readonly type: 'hold' }
  | { readonly type: 'attach' | 'detach'; readonly handle: string }
  /** Nothing is left that could be detached. */
  | { readonly type: 'release' }
  | { readonly type: 'fail'; readonly message: string };

const NONE: AttacherStep = { type: 'none' };

/** The finalizer of external-attacher for a driver. */
export function attacherFinalizer(driver: string): string {
  return `external-attacher/${driver.replaceAll('.', '-')}`;
}

/** What the attacher of `driver` does next about an attachment. */
export function decideAttacher({ attachment, volume }: ObservedAttachment, driver: string): AttacherStep {
  const { metadata, spec } = attachment;
  if (spec.attacher !== driver) return NONE;
  const isHeld = hasFinalizer(attachment, attacherFinalizer(driver));
  if (metadata.deletionTimestamp !== undefined) return isHeld ? detachment(volume) : NONE;
  if (attachment.status?.attached === true) return NONE;
  return isHeld ? decideAttach(volume, attachment, driver) : { type: 'hold' };
}

function decideAttach(
  volume: Stored<corev1.PersistentVolume> | undefined,
  { spec }: Stored<storagev1.VolumeAttachment>,
  driver: string,
): AttacherStep {
  const handle = volume?.spec.csi?.volumeHandle;
  if (volume === undefined || handle === undefined) {
    const name = spec.source.persistentVolumeName ?? '';
    return { type: 'fail', message: `persistentvolume "${name}" not found` };
  }
  return hasFinalizer(volume, attacherFinalizer(driver))
    ? { type: 'attach', handle }
    : { type: 'holdVolume', volume };
}

function detachment(volume: Stored<corev1.PersistentVolume> | undefined): AttacherStep {
  const handle = volume?.spec.csi?.volumeHandle;
  return handle === undefined ? { type: 'release' } : { type: 'detach', handle };
}

/** Whether the finalizer of a volume that is being deleted is removed: it is attached nowhere. */
export function mayRelease(
  volume: Stored<corev1.PersistentVolume>,
  attachments: number,
  driver: string,
): boolean {
  const isDying = volume.metadata.deletionTimestamp !== undefined;
  return isDying && attachments === 0 && hasFinalizer(volume, attacherFinalizer(driver));
}
