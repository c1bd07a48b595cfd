import { isTrue, itemsAt, maybeString, objectAt, objectsAt, stringAt, stringsAt } from '../objects/read.ts';
import type { TableColumn } from '../model/resource-definition.ts';
import { ageColumn, column, nameColumn } from './column.ts';
import { nameOf } from '../objects/name-of.ts';

const DEFAULT_CLASS = [
  'storageclass.kubernetes.io/is-default-class',
  'storageclass.beta.kubernetes.io/is-default-class',
];

export const storageClassColumns: readonly TableColumn[] = [
  {
    ...nameColumn,
    value: (object) => {
      const isDefault = DEFAULT_CLASS.some((key) => object.metadata.annotations?.[key] === 'true');
      return `${nameOf(object)}${isDefault ? ' (default)' : ''}`;
    },
  },
  column('Provisioner', (object) => stringAt(object, 'provisioner')),
  column('ReclaimPolicy', (object) => maybeString(object, 'reclaimPolicy') ?? 'Delete'),
  column('VolumeBindingMode', (object) => maybeString(object, 'volumeBindingMode') ?? 'Immediate'),
  column('AllowVolumeExpansion', (object) => isTrue(object, 'allowVolumeExpansion')),
  ageColumn,
];

export const volumeAttachmentColumns: readonly TableColumn[] = [
  nameColumn,
  { ...column('Attacher', (object) => stringAt(objectAt(object, 'spec'), 'attacher')), format: 'name' },
  column('PV', (object) => stringAt(objectAt(object, 'spec', 'source'), 'persistentVolumeName')),
  column('Node', (object) => stringAt(objectAt(object, 'spec'), 'nodeName')),
  column('Attached:boolean', (object) => isTrue(objectAt(object, 'status'), 'attached')),
  ageColumn,
];

export const volumeAttributesClassColumns: readonly TableColumn[] = [
  nameColumn,
  column('DriverName', (object) => stringAt(object, 'driverName')),
  ageColumn,
];

export const csiStorageCapacityColumns: readonly TableColumn[] = [
  nameColumn,
  column('StorageClassName', (object) => stringAt(object, 'storageClassName')),
  column('Capacity', (object) => maybeString(object, 'capacity') ?? '<unset>'),
];

export const csiNodeColumns: readonly TableColumn[] = [
  nameColumn,
  column('Drivers:integer', (object) => itemsAt(objectAt(object, 'spec'), 'drivers').length),
  ageColumn,
];

export const csiDriverColumns: readonly TableColumn[] = [
  nameColumn,
  column('AttachRequired:boolean', (object) => objectAt(object, 'spec')['attachRequired'] !== false),
  column('PodInfoOnMount:boolean', (object) => isTrue(objectAt(object, 'spec'), 'podInfoOnMount')),
  column('StorageCapacity:boolean', (object) => isTrue(objectAt(object, 'spec'), 'storageCapacity')),
  column('TokenRequests', (object) => {
    const audiences = objectsAt(objectAt(object, 'spec'), 'tokenRequests').map((request) =>
      stringAt(request, 'audience'),
    );
    return audiences.join(',') || '<unset>';
  }),
  column('RequiresRepublish:boolean', (object) => isTrue(objectAt(object, 'spec'), 'requiresRepublish')),
  column(
    'Modes',
    (object) => stringsAt(objectAt(object, 'spec'), 'volumeLifecycleModes').join(',') || '<none>',
  ),
  ageColumn,
];
