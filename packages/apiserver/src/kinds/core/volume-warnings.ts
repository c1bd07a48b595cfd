import { type KubeObject, getOwn } from '@kubewright/kube';
import { has, specOf, stringAt } from '../../objects/read.ts';

export const MOUNT_OPTIONS = 'volume.beta.kubernetes.io/mount-options';

const ANNOTATIONS: readonly (readonly [string, string])[] = [
  [
    'volume.beta.kubernetes.io/storage-class',
    'deprecated since v1.8; use "storageClassName" attribute instead',
  ],
  [MOUNT_OPTIONS, 'deprecated since v1.31; use "mountOptions" attribute instead'],
];

/** Sources that nothing mounts any more: since when deprecated, since when without effect, what the path calls them. */
const GONE: readonly (readonly [string, string, string, string?])[] = [
  ['cephfs', 'v1.28', 'v1.31'],
  ['photonPersistentDisk', 'v1.11', 'v1.16'],
  ['scaleIO', 'v1.16', 'v1.22'],
  ['storageos', 'v1.22', 'v1.25', 'storageOS'],
  ['glusterfs', 'v1.25', 'v1.26'],
  ['rbd', 'v1.28', 'v1.31'],
];

/** Warnings about a PersistentVolume. */
export function volumeWarnings(object: KubeObject): readonly string[] {
  const spec = specOf(object);
  const annotations = object.metadata.annotations ?? {};
  const recycles = stringAt(spec, 'persistentVolumeReclaimPolicy') === 'Recycle';
  return [
    ...ANNOTATIONS.filter(([key]) => getOwn(annotations, key) !== undefined).map(
      ([key, what]) => `metadata.annotations[${key}]: ${what}`,
    ),
    ...(recycles
      ? [
          'spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use dynamic provisioning.',
        ]
      : []),
    ...GONE.filter(([key]) => has(spec, key)).map(
      ([key, deprecated, gone, shown = key]) =>
        `spec.${shown}: deprecated in ${deprecated}, non-functional in ${gone}+`,
    ),
  ];
}
