// Made by tools/kinds/generate.ts from the catalogue. Do not edit.
import type { NamespacedMeta, ObjectMeta, ResourceRef } from '../object/kube-object.ts';
import type { PersistentVolumeSpec, TopologySelectorTerm } from './corev1.data.ts';
import type { LabelSelector } from './metav1.data.ts';

export const csidrivers: ResourceRef<CSIDriver> = {
  group: 'storage.k8s.io',
  version: 'v1',
  resource: 'csidrivers',
  kind: 'CSIDriver',
  namespaced: false,
};
export const csinodes: ResourceRef<CSINode> = {
  group: 'storage.k8s.io',
  version: 'v1',
  resource: 'csinodes',
  kind: 'CSINode',
  namespaced: false,
};
export const csistoragecapacities: ResourceRef<CSIStorageCapacity> = {
  group: 'storage.k8s.io',
  version: 'v1',
  resource: 'csistoragecapacities',
  kind: 'CSIStorageCapacity',
  namespaced: true,
};
export const storageclasses: ResourceRef<StorageClass> = {
  group: 'storage.k8s.io',
  version: 'v1',
  resource: 'storageclasses',
  kind: 'StorageClass',
  namespaced: false,
};
export const volumeattachments: ResourceRef<VolumeAttachment> = {
  group: 'storage.k8s.io',
  version: 'v1',
  resource: 'volumeattachments',
  kind: 'VolumeAttachment',
  namespaced: false,
};
export const volumeattributesclasses: ResourceRef<VolumeAttributesClass> = {
  group: 'storage.k8s.io',
  version: 'v1',
  resource: 'volumeattributesclasses',
  kind: 'VolumeAttributesClass',
  namespaced: false,
};

export type CSIDriver = {
  readonly apiVersion: 'storage.k8s.io/v1';
  readonly kind: 'CSIDriver';
  readonly metadata: ObjectMeta;
  readonly spec: CSIDriverSpec;
};

export type CSIDriverSpec = {
  readonly attachRequired?: boolean;
  readonly fsGroupPolicy?: string;
  readonly nodeAllocatableUpdatePeriodSeconds?: number;
  readonly podInfoOnMount?: boolean;
  readonly preventPodSchedulingIfMissing?: boolean;
  readonly requiresRepublish?: boolean;
  readonly seLinuxMount?: boolean;
  readonly serviceAccountTokenInSecrets?: boolean;
  readonly storageCapacity?: boolean;
  readonly tokenRequests?: readonly TokenRequest[];
  readonly volumeLifecycleModes?: readonly string[];
};

export type CSINode = {
  readonly apiVersion: 'storage.k8s.io/v1';
  readonly kind: 'CSINode';
  readonly metadata: ObjectMeta;
  readonly spec: CSINodeSpec;
};

export type CSINodeDriver = {
  readonly allocatable?: VolumeNodeResources;
  readonly name: string;
  readonly nodeID: string;
  readonly topologyKeys?: readonly string[];
};

export type CSINodeSpec = {
  readonly drivers: readonly CSINodeDriver[];
};

export type CSIStorageCapacity = {
  readonly apiVersion: 'storage.k8s.io/v1';
  readonly kind: 'CSIStorageCapacity';
  readonly metadata: NamespacedMeta;
  readonly capacity?: string;
  readonly maximumVolumeSize?: string;
  readonly nodeTopology?: LabelSelector;
  readonly storageClassName: string;
};

export type StorageClass = {
  readonly apiVersion: 'storage.k8s.io/v1';
  readonly kind: 'StorageClass';
  readonly metadata: ObjectMeta;
  readonly allowVolumeExpansion?: boolean;
  readonly allowedTopologies?: readonly TopologySelectorTerm[];
  readonly mountOptions?: readonly string[];
  readonly parameters?: { readonly [key: string]: string };
  readonly provisioner: string;
  readonly reclaimPolicy?: 'Delete' | 'Recycle' | 'Retain';
  readonly volumeBindingMode?: 'Immediate' | 'WaitForFirstConsumer';
};

export type TokenRequest = {
  readonly audience: string;
  readonly expirationSeconds?: number;
};

export type VolumeAttachment = {
  readonly apiVersion: 'storage.k8s.io/v1';
  readonly kind: 'VolumeAttachment';
  readonly metadata: ObjectMeta;
  readonly spec: VolumeAttachmentSpec;
  readonly status?: VolumeAttachmentStatus;
};

export type VolumeAttachmentSource = {
  readonly inlineVolumeSpec?: PersistentVolumeSpec;
  readonly persistentVolumeName?: string;
};

export type VolumeAttachmentSpec = {
  readonly attacher: string;
  readonly nodeName: string;
  readonly source: VolumeAttachmentSource;
};

export type VolumeAttachmentStatus = {
  readonly attachError?: VolumeError;
  readonly attached: boolean;
  readonly attachmentMetadata?: { readonly [key: string]: string };
  readonly detachError?: VolumeError;
};

export type VolumeAttributesClass = {
  readonly apiVersion: 'storage.k8s.io/v1';
  readonly kind: 'VolumeAttributesClass';
  readonly metadata: ObjectMeta;
  readonly driverName: string;
  readonly parameters?: { readonly [key: string]: string };
};

export type VolumeError = {
  readonly errorCode?: number;
  readonly message?: string;
  readonly time?: string;
};

export type VolumeNodeResources = {
  readonly count?: number;
};
