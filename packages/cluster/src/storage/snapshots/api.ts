import type { ResourceRef } from '@kubewright/client';
import type { KubeObject, NamespacedMeta, ObjectMeta } from '@kubewright/kube';

/** `snapshot.storage.k8s.io/v1`, as external-snapshotter defines it. */

export const SNAPSHOT_GROUP = 'snapshot.storage.k8s.io';

export type SnapshotError = { readonly time?: string; readonly message?: string };

export type VolumeSnapshot = KubeObject & {
  readonly metadata: NamespacedMeta;
  readonly spec: {
    readonly source: {
      readonly persistentVolumeClaimName?: string;
      readonly volumeSnapshotContentName?: string;
    };
    readonly volumeSnapshotClassName?: string;
  };
  readonly status?: VolumeSnapshotStatus;
};

export type VolumeSnapshotStatus = {
  readonly boundVolumeSnapshotContentName?: string;
  /** RFC 3339. */
  readonly creationTime?: string;
  readonly readyToUse?: boolean;
  /** A quantity. */
  readonly restoreSize?: string;
  readonly error?: SnapshotError;
};

export type VolumeSnapshotContent = KubeObject & {
  readonly spec: {
    /** Without a uid until the content is bound. */
    readonly volumeSnapshotRef?: {
      readonly apiVersion?: string;
      readonly kind?: string;
      readonly namespace?: string;
      readonly name?: string;
      readonly uid?: string;
      readonly resourceVersion?: string;
    };
    readonly deletionPolicy: 'Delete' | 'Retain';
    readonly driver: string;
    readonly source: { readonly volumeHandle?: string; readonly snapshotHandle?: string };
    readonly sourceVolumeMode?: string;
    readonly volumeSnapshotClassName?: string;
  };
  readonly status?: VolumeSnapshotContentStatus;
};

export type VolumeSnapshotContentStatus = {
  readonly snapshotHandle?: string;
  /** Nanoseconds since the epoch: more than a double holds. */
  readonly creationTime?: number | bigint;
  readonly readyToUse?: boolean;
  /** Bytes. */
  readonly restoreSize?: number | bigint;
  readonly error?: SnapshotError;
};

export type VolumeSnapshotClass = {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly driver: string;
  readonly deletionPolicy: 'Delete' | 'Retain';
  readonly parameters?: { readonly [key: string]: string };
};

const shared = { group: SNAPSHOT_GROUP, version: 'v1' };

export const volumesnapshots: ResourceRef<VolumeSnapshot> = {
  ...shared,
  resource: 'volumesnapshots',
  kind: 'VolumeSnapshot',
  namespaced: true,
};

export const volumesnapshotcontents: ResourceRef<VolumeSnapshotContent> = {
  ...shared,
  resource: 'volumesnapshotcontents',
  kind: 'VolumeSnapshotContent',
  namespaced: false,
};

export const volumesnapshotclasses: ResourceRef<VolumeSnapshotClass> = {
  ...shared,
  resource: 'volumesnapshotclasses',
  kind: 'VolumeSnapshotClass',
  namespaced: false,
};
