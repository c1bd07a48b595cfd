import type { JsonObject } from '@kubewright/kube';
import type { TableColumn } from '../model/resource-definition.ts';
import { maybeNumber, objectAt, objectsAt, stringAt } from '../objects/read.ts';
import { ageColumn, column, nameColumn } from './column.ts';
import { humanDuration } from './human-duration.ts';

export const certificateSigningRequestColumns: readonly TableColumn[] = [
  nameColumn,
  ageColumn,
  column('SignerName', (object) => stringAt(objectAt(object, 'spec'), 'signerName')),
  column('Requestor', (object) => stringAt(objectAt(object, 'spec'), 'username')),
  column('RequestedDuration', (object) => {
    const seconds = maybeNumber(objectAt(object, 'spec'), 'expirationSeconds');
    return seconds === undefined ? '<none>' : humanDuration(seconds * 1000);
  }),
  column('Condition', (object) => conditionOf(objectAt(object, 'status'))),
];

function conditionOf(status: JsonObject): string {
  const types = objectsAt(status, 'conditions').map((condition) => stringAt(condition, 'type'));
  const decision = ['Denied', 'Approved'].find((type) => types.includes(type)) ?? 'Pending';
  const failed = types.includes('Failed') ? ',Failed' : '';
  return decision + failed + (stringAt(status, 'certificate') === '' ? '' : ',Issued');
}
