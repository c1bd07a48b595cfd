import type { Json, JsonObject } from '@kubewright/kube';
import {
  isTrue,
  maybeNumber,
  maybeString,
  numberAt,
  objectAt,
  objectsAt,
  stringAt,
  stringsAt,
  valueAt,
} from '../objects/read.ts';
import type { TableColumn } from '../model/resource-definition.ts';
import { ageColumn, column, nameColumn, wide } from './column.ts';

export const priorityClassColumns: readonly TableColumn[] = [
  nameColumn,
  column('Value:integer', (object) => numberAt(object, 'value')),
  column('Global-Default:boolean', (object) => isTrue(object, 'globalDefault')),
  ageColumn,
  wide('PreemptionPolicy', (object) => stringAt(object, 'preemptionPolicy')),
];

export const runtimeClassColumns: readonly TableColumn[] = [
  nameColumn,
  column('Handler', (object) => stringAt(object, 'handler')),
  ageColumn,
];

const orNone = (value: Json): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : 'N/A';

export const podDisruptionBudgetColumns: readonly TableColumn[] = [
  nameColumn,
  column('Min Available', (object) => orNone(valueAt(objectAt(object, 'spec'), 'minAvailable'))),
  column('Max Unavailable', (object) => orNone(valueAt(objectAt(object, 'spec'), 'maxUnavailable'))),
  column('Allowed Disruptions:integer', (object) =>
    numberAt(objectAt(object, 'status'), 'disruptionsAllowed'),
  ),
  ageColumn,
];

const SHOWN = 3;

/** The first three, and how many more. */
function some(items: readonly string[]): string {
  if (items.length === 0) return '<unset>';
  const more = items.length - SHOWN;
  return `${items.slice(0, SHOWN).join(',')}${more > 0 ? ` + ${more} more...` : ''}`;
}

/** Addresses with each of their ports; those alone where there are none. */
function pairs(subset: JsonObject): readonly string[] {
  const ports = objectsAt(subset, 'ports');
  const addresses = objectsAt(subset, 'addresses').map((address) => stringAt(address, 'ip'));
  if (ports.length === 0) return addresses;
  return ports.flatMap((port) =>
    addresses.map((ip) => `${ip.includes(':') ? `[${ip}]` : ip}:${numberAt(port, 'port')}`),
  );
}

export const endpointsColumns: readonly TableColumn[] = [
  nameColumn,
  column('Endpoints', (object) => {
    const subsets = objectsAt(object, 'subsets');
    const shown = subsets.flatMap(pairs);
    if (subsets.length === 0) return '<none>';
    return shown.length === 0 ? '' : some(shown);
  }),
  ageColumn,
];

export const endpointSliceColumns: readonly TableColumn[] = [
  nameColumn,
  column('AddressType', (object) => stringAt(object, 'addressType')),
  column('Ports', (object) =>
    some(
      objectsAt(object, 'ports').map((port) =>
        String(maybeNumber(port, 'port') ?? maybeString(port, 'name') ?? '*'),
      ),
    ),
  ),
  column('Endpoints', (object) =>
    some(objectsAt(object, 'endpoints').flatMap((endpoint) => stringsAt(endpoint, 'addresses'))),
  ),
  ageColumn,
];
