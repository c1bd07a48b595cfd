import type { Declaration } from '../../model/declaration.ts';
import { csiDriver } from './csi-driver.ts';
import { csiNode } from './csi-node.ts';
import { csiStorageCapacity } from './csi-storage-capacity.ts';
import { storageClass } from './storage-class.ts';
import { volumeAttachment, volumeAttachmentStatus } from './volume-attachment.ts';
import { volumeAttributesClass } from './volume-attributes-class.ts';

const shared = { apiVersion: 'storage.k8s.io/v1', namespaced: false };
const rest = { returnsDeleted: true, unconditionalUpdate: false };

/** `storage.k8s.io/v1`. */
export const STORAGE_RESOURCES: readonly Declaration[] = [
  { ...shared, kind: 'CSIDriver', resource: 'csidrivers', strategy: csiDriver, rest },
  { ...shared, kind: 'CSINode', resource: 'csinodes', strategy: csiNode, rest },
  {
    ...shared,
    kind: 'CSIStorageCapacity',
    resource: 'csistoragecapacities',
    namespaced: true,
    strategy: csiStorageCapacity,
    rest: { unconditionalUpdate: false },
  },
  {
    ...shared,
    kind: 'StorageClass',
    resource: 'storageclasses',
    short: ['sc'],
    strategy: storageClass,
    rest: { returnsDeleted: true },
  },
  {
    ...shared,
    kind: 'VolumeAttachment',
    resource: 'volumeattachments',
    strategy: volumeAttachment,
    status: volumeAttachmentStatus,
    rest,
  },
  {
    ...shared,
    kind: 'VolumeAttributesClass',
    resource: 'volumeattributesclasses',
    short: ['vac'],
    strategy: volumeAttributesClass,
    rest: { returnsDeleted: true },
  },
];
