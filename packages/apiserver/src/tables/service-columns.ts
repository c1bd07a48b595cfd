import { compareText, type JsonObject } from '@kubewright/kube';
import { numberAt, objectAt, objectsAt, stringAt, stringsAt } from '../objects/read.ts';
import type { TableColumn } from '../model/resource-definition.ts';
import { ageColumn, column, nameColumn, wide } from './column.ts';
import { formatLabels } from './format-labels.ts';

const spec = (service: JsonObject): JsonObject => objectAt(service, 'spec');

/** Where a load balancer, of a Service or an Ingress, can be reached. */
export function loadBalancerText(object: JsonObject): string {
  const points = objectsAt(objectAt(object, 'status', 'loadBalancer'), 'ingress');
  const addresses = points.map((point) => stringAt(point, 'ip') || stringAt(point, 'hostname'));
  return [...new Set(addresses.filter((address) => address !== ''))].sort(compareText).join(',');
}

function externalAddress(service: JsonObject): string {
  const external = stringsAt(spec(service), 'externalIPs');
  switch (stringAt(spec(service), 'type')) {
    case 'ExternalName':
      return stringAt(spec(service), 'externalName');
    case 'LoadBalancer': {
      const own = loadBalancerText(service);
      return [...(own === '' ? [] : [own]), ...external].join(',') || '<pending>';
    }
    case 'ClusterIP':
    case 'NodePort':
      return external.join(',') || '<none>';
    default:
      return '<unknown>';
  }
}

function portText(port: JsonObject): string {
  const node = numberAt(port, 'nodePort');
  const number = numberAt(port, 'port');
  return `${node > 0 ? `${number}:${node}` : number}/${stringAt(port, 'protocol')}`;
}

export const serviceColumns: readonly TableColumn[] = [
  nameColumn,
  column('Type', (service) => stringAt(spec(service), 'type')),
  column('Cluster-IP', (service) => stringsAt(spec(service), 'clusterIPs')[0] ?? '<none>'),
  column('External-IP', externalAddress),
  column('Port(s)', (service) => objectsAt(spec(service), 'ports').map(portText).join(',') || '<none>'),
  ageColumn,
  wide('Selector', (service) => formatLabels(spec(service), 'selector')),
];
