import { corev1 } from '@kubewright/kube';
import type { VolumeStory } from './volume-story.ts';

/** What a test asks of the volumes that the driver made. */
export type VolumeHandles = {
  /** A bound claim of a class, and its volume's handle. */
  readonly provisioned: (name: string, storageClassName?: string) => Promise<string>;
  readonly volumeNamed: (name?: string) => Promise<corev1.PersistentVolume>;
  readonly handleOf: (volumeName?: string) => Promise<string>;
};

export function volumeHandles(story: () => VolumeStory): VolumeHandles {
  const volumeNamed: VolumeHandles['volumeNamed'] = (name = '') =>
    story().client.get(corev1.persistentvolumes, { name });
  const handleOf: VolumeHandles['handleOf'] = async (volumeName) =>
    (await volumeNamed(volumeName)).spec.csi?.volumeHandle ?? '';
  return {
    volumeNamed,
    handleOf,
    async provisioned(name, storageClassName = 'standard') {
      await story().createClaim(name, { storageClassName });
      return handleOf((await story().bound(name)).spec.volumeName);
    },
  };
}
