import type { JsonObject } from '@kubewright/kube';
import { compareText, numberAt, objectAt, objectsAt, stringAt, stringsAt } from '../kinds/shared/read.ts';
import type { TableColumn } from '../registry/resource-definition.ts';
import { ageColumn, column, nameColumn, wide } from './column.ts';
import { formatLabels } from './format-labels.ts';

const spec = (service: JsonObject): JsonObject => objectAt(service, 'spec');

function loadBalancerAddresses(service: JsonObject): readonly string[] {
  const ingress = objectsAt(objectAt(service, 'status', 'loadBalancer'), 'ingress');
  const addresses = ingress.map((point) => stringAt(point, 'ip') || stringAt(point, 'hostname'));
  return [...new Set(addresses.filter((address) => address !== ''))].sort(compareText);
}

/** `kubectl get` without `-o wide` shows at most this many characters of a load balancer's addresses. */
const LOAD_BALANCER_WIDTH = 16;

function externalAddress(service: JsonObject): string {
  const external = stringsAt(spec(service), 'externalIPs');
  switch (stringAt(spec(service), 'type')) {
    case 'ExternalName':
      return stringAt(spec(service), 'externalName');
    case 'LoadBalancer': {
      const joined = loadBalancerAddresses(service).join(',');
      const clipped =
        joined.length > LOAD_BALANCER_WIDTH ? `${joined.slice(0, LOAD_BALANCER_WIDTH - 3)}...` : joined;
      return [...(clipped === '' ? [] : [clipped]), ...external].join(',') || '<pending>';
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
