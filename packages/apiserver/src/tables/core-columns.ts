import type { JsonObject } from '@kubewright/kube';
import { entriesAt, objectAt, objectsAt, stringAt } from '../objects/read.ts';
import type { TableColumn } from '../model/resource-definition.ts';
import { ageColumn, column, nameColumn, wide } from './column.ts';

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

/** `requests.cpu: 1/2`, of the names that are limits of what may be used, or of the others. */
function usedOfHard(quota: JsonObject, limits: boolean): string {
  const status = objectAt(quota, 'status');
  const used = objectAt(status, 'used');
  return entriesAt(status, 'hard')
    .filter(([name]) => name.startsWith('limits.') === limits)
    .map(([name, amount]) => `${name}: ${stringAt(used, name) || '0'}/${amount}`)
    .join(', ');
}

export const resourceQuotaColumns: readonly TableColumn[] = [
  nameColumn,
  column('Request', (object) => usedOfHard(object, false)),
  column('Limit', (object) => usedOfHard(object, true)),
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
