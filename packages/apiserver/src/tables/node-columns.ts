import type { JsonObject } from '@kubewright/kube';
import { entriesAt, isTrue, objectAt, objectsAt, stringAt } from '../objects/read.ts';
import type { TableColumn } from '../model/resource-definition.ts';
import { ageColumn, column, nameColumn, wide } from './column.ts';

const ROLE = 'node-role.kubernetes.io/';

/** A node's roles by its labels, sorted. */
function nodeRoles(object: JsonObject): readonly string[] {
  const roles = entriesAt(objectAt(object, 'metadata'), 'labels').flatMap(([name, value]) => {
    if (name.startsWith(ROLE)) return name.length > ROLE.length ? [name.slice(ROLE.length)] : [];
    return name === 'kubernetes.io/role' && value !== '' ? [value] : [];
  });
  return [...new Set(roles)].sort();
}

function state(node: JsonObject): string {
  const ready = objectsAt(objectAt(node, 'status'), 'conditions').find(
    (condition) => stringAt(condition, 'type') === 'Ready',
  );
  const unknown = ready === undefined ? 'Unknown' : undefined;
  const word = unknown ?? (stringAt(ready ?? {}, 'status') === 'True' ? 'Ready' : 'NotReady');
  return isTrue(objectAt(node, 'spec'), 'unschedulable') ? `${word},SchedulingDisabled` : word;
}

const address = (type: string) => (node: JsonObject) => {
  const addresses = objectsAt(objectAt(node, 'status'), 'addresses');
  const found = addresses.find((one) => stringAt(one, 'type') === type);
  return found === undefined ? '<none>' : stringAt(found, 'address');
};

const info = (key: string) => (node: JsonObject) =>
  stringAt(objectAt(node, 'status', 'nodeInfo'), key) || '<unknown>';

function kernel(node: JsonObject): string {
  const architecture = stringAt(objectAt(node, 'status', 'nodeInfo'), 'architecture');
  const version = info('kernelVersion')(node);
  return architecture === '' ? version : `${version} (${architecture})`;
}

export const nodeColumns: readonly TableColumn[] = [
  nameColumn,
  column('Status', state),
  column('Roles', (node) => nodeRoles(node).join(',') || '<none>'),
  ageColumn,
  column('Version', (node) => stringAt(objectAt(node, 'status', 'nodeInfo'), 'kubeletVersion')),
  wide('Internal-IP', address('InternalIP')),
  wide('External-IP', address('ExternalIP')),
  wide('OS-Image', info('osImage')),
  wide('Kernel-Version', kernel),
  wide('Container-Runtime', info('containerRuntimeVersion')),
];
