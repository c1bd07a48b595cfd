import type { CustomObject, ResourceRef, Stored } from '@kubewright/kube';
import { ANNOTATIONS } from './annotations.ts';

// The fields of `snapshot.storage.k8s.io/v1` that a capture reads and writes. external-snapshotter owns the
// definitions.

const shared = { group: 'snapshot.storage.k8s.io', version: 'v1' } as const;

export const SNAPSHOT_API_VERSION = `${shared.group}/${shared.version}` as const;

export type VolumeMode = 'Filesystem' | 'Block';

type SnapshotContentSpec = {
  /** Without a uid until the content is bound. */
  readonly volumeSnapshotRef: {
    readonly apiVersion?: string;
    readonly kind?: string;
    readonly namespace?: string;
    readonly name?: string;
    readonly uid?: string;
  };
  readonly deletionPolicy: 'Delete' | 'Retain';
  readonly driver: string;
  readonly source: { readonly volumeHandle?: string; readonly snapshotHandle?: string };
  readonly sourceVolumeMode?: VolumeMode;
  readonly volumeSnapshotClassName?: string;
};

export type SnapshotContentStatus = {
  readonly snapshotHandle?: string;
  readonly readyToUse?: boolean;
  /** Bytes. */
  readonly restoreSize?: number | bigint;
  /** Nanoseconds since 1970: the moment that the snapshot shows. */
  readonly creationTime?: number | bigint;
  readonly error?: { readonly time?: string; readonly message?: string };
};

export type SnapshotContent = CustomObject<
  { readonly spec: SnapshotContentSpec; readonly status?: SnapshotContentStatus },
  'Cluster'
>;
export type StoredContent = Stored<SnapshotContent>;

export type Snapshot = CustomObject<{
  readonly spec: { readonly source: { readonly volumeSnapshotContentName: string } };
}>;
export type SnapshotClass = CustomObject<
  {
    readonly driver: string;
    readonly deletionPolicy: 'Delete' | 'Retain';
    readonly parameters?: Readonly<Record<string, string>>;
  },
  'Cluster'
>;

export const SNAPSHOT_CONTENTS: ResourceRef<SnapshotContent> = {
  ...shared,
  resource: 'volumesnapshotcontents',
  kind: 'VolumeSnapshotContent',
  namespaced: false,
};

export const SNAPSHOTS: ResourceRef<Snapshot> = {
  ...shared,
  resource: 'volumesnapshots',
  kind: 'VolumeSnapshot',
  namespaced: true,
};

export const SNAPSHOT_CLASSES: ResourceRef<SnapshotClass> = {
  ...shared,
  resource: 'volumesnapshotclasses',
  kind: 'VolumeSnapshotClass',
  namespaced: false,
};

/** The namespace in which a snapshot was taken, where that is recorded. */
export function homeOf({ metadata, spec }: StoredContent): string | undefined {
  const request = metadata.annotations?.[ANNOTATIONS.request];
  return request?.split('/')[0] ?? spec.volumeSnapshotRef.namespace;
}
