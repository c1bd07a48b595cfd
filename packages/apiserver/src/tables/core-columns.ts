import type { JsonObject } from '@kubewright/kube';
import { maybeString, objectAt, objectsAt, stringAt, stringsAt } from '../kinds/shared/read.ts';
import type { TableColumn } from '../registry/resource-definition.ts';
import { ageColumn, column, isBeingDeleted, nameColumn, wide } from './column.ts';

const size = (object: JsonObject, key: string): number => Object.keys(objectAt(object, key)).length;

export const namespaceColumns: readonly TableColumn[] = [
  nameColumn,
  column('Status', (object) => stringAt(objectAt(object, 'status'), 'phase')),
  ageColumn,
];

export const configMapColumns: readonly TableColumn[] = [
  nameColumn,
  column('Data', (object) => size(object, 'data') + size(object, 'binaryData')),
  ageColumn,
];

export const secretColumns: readonly TableColumn[] = [
  nameColumn,
  column('Type', (object) => stringAt(object, 'type')),
  column('Data', (object) => size(object, 'data')),
  ageColumn,
];

export const serviceAccountColumns: readonly TableColumn[] = [nameColumn, ageColumn];

export const leaseColumns: readonly TableColumn[] = [
  nameColumn,
  column('Holder', (object) => stringAt(objectAt(object, 'spec'), 'holderIdentity')),
  ageColumn,
];

const ACCESS_MODES: readonly (readonly [string, string])[] = [
  ['ReadWriteOnce', 'RWO'],
  ['ReadOnlyMany', 'ROX'],
  ['ReadWriteMany', 'RWX'],
  ['ReadWriteOncePod', 'RWOP'],
];

/** What a bound claim got; an unbound one has neither capacity nor modes to show. */
const whenBound = (cell: (status: JsonObject) => string) => (claim: JsonObject) =>
  stringAt(objectAt(claim, 'spec'), 'volumeName') === '' ? '' : cell(objectAt(claim, 'status'));

function accessModes(status: JsonObject): string {
  const modes = stringsAt(status, 'accessModes');
  return ACCESS_MODES.filter(([mode]) => modes.includes(mode))
    .map(([, short]) => short)
    .join(',');
}

export const claimColumns: readonly TableColumn[] = [
  nameColumn,
  column('Status', (claim) =>
    isBeingDeleted(claim) ? 'Terminating' : stringAt(objectAt(claim, 'status'), 'phase'),
  ),
  column('Volume', (claim) => stringAt(objectAt(claim, 'spec'), 'volumeName')),
  column(
    'Capacity',
    whenBound((status) => stringAt(objectAt(status, 'capacity'), 'storage') || '0'),
  ),
  column('Access Modes', whenBound(accessModes)),
  column(
    'StorageClass',
    (claim) =>
      maybeString(objectAt(claim, 'metadata', 'annotations'), 'volume.beta.kubernetes.io/storage-class') ??
      stringAt(objectAt(claim, 'spec'), 'storageClassName'),
  ),
  column(
    'VolumeAttributesClass',
    (claim) => maybeString(objectAt(claim, 'spec'), 'volumeAttributesClassName') ?? '<unset>',
  ),
  ageColumn,
  wide('VolumeMode', (claim) => maybeString(objectAt(claim, 'spec'), 'volumeMode') ?? '<unset>'),
];

function subjects(kind: string, format: (subject: JsonObject) => string): (binding: JsonObject) => string {
  return (binding) =>
    objectsAt(binding, 'subjects')
      .filter((subject) => stringAt(subject, 'kind') === kind)
      .map(format)
      .join(', ');
}

const subjectName = (subject: JsonObject): string => stringAt(subject, 'name');

export const bindingColumns: readonly TableColumn[] = [
  nameColumn,
  column('Role', (binding) => {
    const role = objectAt(binding, 'roleRef');
    return `${stringAt(role, 'kind')}/${stringAt(role, 'name')}`;
  }),
  ageColumn,
  wide('Users', subjects('User', subjectName)),
  wide('Groups', subjects('Group', subjectName)),
  wide(
    'ServiceAccounts',
    subjects('ServiceAccount', (subject) => `${stringAt(subject, 'namespace')}/${stringAt(subject, 'name')}`),
  ),
];
