import type { JsonObject } from '@kubewright/kube';
import { maybeObject, maybeString, objectAt, stringAt, stringsAt } from '../objects/read.ts';
import type { TableColumn } from '../model/resource-definition.ts';
import { ageColumn, column, isBeingDeleted, nameColumn, wide } from './column.ts';

const ACCESS_MODES: readonly (readonly [string, string])[] = [
  ['ReadWriteOnce', 'RWO'],
  ['ReadOnlyMany', 'ROX'],
  ['ReadWriteMany', 'RWX'],
  ['ReadWriteOncePod', 'RWOP'],
];

/** What a bound claim got; an unbound one has neither capacity nor modes to show. */
const whenBound = (cell: (status: JsonObject) => string) => (claim: JsonObject) =>
  stringAt(objectAt(claim, 'spec'), 'volumeName') === '' ? '' : cell(objectAt(claim, 'status'));

function accessModes(object: JsonObject): string {
  const modes = stringsAt(object, 'accessModes');
  return ACCESS_MODES.filter(([mode]) => modes.includes(mode))
    .map(([, short]) => short)
    .join(',');
}

const phaseColumn = column('Status', (object) =>
  isBeingDeleted(object) ? 'Terminating' : stringAt(objectAt(object, 'status'), 'phase'),
);

const classColumn = column(
  'StorageClass',
  (object) =>
    maybeString(objectAt(object, 'metadata', 'annotations'), 'volume.beta.kubernetes.io/storage-class') ??
    stringAt(objectAt(object, 'spec'), 'storageClassName'),
);

const attributesClassColumn = column(
  'VolumeAttributesClass',
  (object) => maybeString(objectAt(object, 'spec'), 'volumeAttributesClassName') ?? '<unset>',
);

const modeColumn = wide(
  'VolumeMode',
  (object) => maybeString(objectAt(object, 'spec'), 'volumeMode') ?? '<unset>',
);

export const claimColumns: readonly TableColumn[] = [
  nameColumn,
  phaseColumn,
  column('Volume', (claim) => stringAt(objectAt(claim, 'spec'), 'volumeName')),
  column(
    'Capacity',
    whenBound((status) => stringAt(objectAt(status, 'capacity'), 'storage') || '0'),
  ),
  column('Access Modes', whenBound(accessModes)),
  classColumn,
  attributesClassColumn,
  ageColumn,
  modeColumn,
];

/** Which claim a volume is for. */
function claimOf(volume: JsonObject): string {
  const claim = maybeObject(objectAt(volume, 'spec'), 'claimRef');
  return claim === undefined ? '' : `${stringAt(claim, 'namespace')}/${stringAt(claim, 'name')}`;
}

export const volumeColumns: readonly TableColumn[] = [
  nameColumn,
  column('Capacity', (volume) => stringAt(objectAt(volume, 'spec', 'capacity'), 'storage') || '0'),
  column('Access Modes', (volume) => accessModes(objectAt(volume, 'spec'))),
  column('Reclaim Policy', (volume) => stringAt(objectAt(volume, 'spec'), 'persistentVolumeReclaimPolicy')),
  phaseColumn,
  column('Claim', claimOf),
  classColumn,
  attributesClassColumn,
  column('Reason', (volume) => stringAt(objectAt(volume, 'status'), 'reason')),
  ageColumn,
  modeColumn,
];
