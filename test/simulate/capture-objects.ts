import type { corev1 } from '@kubewright/kube';

export const NAMESPACE = 'default';
/** Where volumes of the other one are restored, too. */
export const ELSEWHERE = 'elsewhere';
export const CLAIM = { namespace: NAMESPACE, name: 'data' };
export const MAPS = ['one', 'two'];

export const configMap = (name: string, version: string): corev1.ConfigMap => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { namespace: NAMESPACE, name },
  data: { version },
});

export const manifests = (name: string) => ({
  apiVersion: 'state-snapshotter.deckhouse.io/v1alpha1',
  kind: 'ManifestCaptureRequest',
  metadata: { namespace: NAMESPACE, name },
  spec: { targets: MAPS.map((map) => ({ apiVersion: 'v1', kind: 'ConfigMap', name: map })) },
});

export const selected = (name: string) => ({
  ...manifests(`selected-${name}`),
  spec: {
    selection: {
      kinds: [
        { apiVersion: 'v1', kind: 'ConfigMap' },
        { apiVersion: 'v1', kind: 'Namespace' },
      ],
    },
  },
});

export const snapshot = (name: string, uid: string) => ({
  apiVersion: 'storage-foundation.deckhouse.io/v1alpha1',
  kind: 'VolumeCaptureRequest',
  metadata: { namespace: NAMESPACE, name },
  spec: {
    mode: 'Snapshot' as const,
    target: { apiVersion: 'v1', kind: 'PersistentVolumeClaim', name: CLAIM.name, uid },
    externalErrorPolicy: 'UntilDeadline' as const,
  },
});

export const detach = (name: string, uid: string) => ({
  ...snapshot(name, uid),
  spec: {
    mode: 'Detach' as const,
    target: { apiVersion: 'v1', kind: 'PersistentVolumeClaim', name, uid },
  },
});

/** In another namespace, it says from where. */
export const restore = (name: string, source: string, namespace = NAMESPACE) => ({
  apiVersion: 'storage-foundation.deckhouse.io/v1alpha1',
  kind: 'VolumeRestoreRequest',
  metadata: { namespace, name },
  spec: {
    sourceRef: {
      kind: 'VolumeSnapshotContent',
      name: source,
      ...(namespace !== NAMESPACE && { namespace: NAMESPACE }),
    },
    pvcTemplate: { metadata: { name: `restored-${name}` }, spec: { storageClassName: 'standard' } },
    externalErrorPolicy: 'UntilDeadline' as const,
  },
});
