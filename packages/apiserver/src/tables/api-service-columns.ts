import type { JsonObject } from '@kubewright/kube';
import { maybeObject, objectAt, objectsAt, stringAt } from '../objects/read.ts';
import type { TableColumn } from '../model/resource-definition.ts';
import { ageColumn, column, nameColumn } from './column.ts';

function serviceText(object: JsonObject): string {
  const service = maybeObject(objectAt(object, 'spec'), 'service');
  return service === undefined ? 'Local' : `${stringAt(service, 'namespace')}/${stringAt(service, 'name')}`;
}

function availableText(object: JsonObject): string {
  const conditions = objectsAt(objectAt(object, 'status'), 'conditions');
  const condition = conditions.find((one) => stringAt(one, 'type') === 'Available');
  if (condition === undefined) return 'Unknown';
  const [status, reason] = [stringAt(condition, 'status'), stringAt(condition, 'reason')];
  return status === 'True' || reason === '' ? status : `${status} (${reason})`;
}

export const apiServiceColumns: readonly TableColumn[] = [
  nameColumn,
  column('Service', serviceText),
  column('Available', availableText),
  ageColumn,
];
