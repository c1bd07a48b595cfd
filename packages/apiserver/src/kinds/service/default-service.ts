import type { JsonObject, KubeObject } from '@kubewright/kube';
import { has, itemsAt, numberAt, objectAt, specOf, stringAt } from '../../objects/read.ts';
import {
  type Change,
  changeObject,
  inField,
  inItems,
  inOrder,
  orDefault,
  orDefaultPointer,
  when,
  withField,
} from '../../objects/change-object.ts';

const ofType =
  (...types: readonly string[]) =>
  (spec: JsonObject): boolean =>
    types.includes(stringAt(spec, 'type'));

/** `SetDefaults_Service`. */
export function defaultService(object: KubeObject): KubeObject {
  const isBalancer = ofType('LoadBalancer')(specOf(defaultSpecOf(object)));
  return changeObject(
    defaultSpecOf(object),
    when(() => isBalancer, inField('status', inField('loadBalancer', inItems('ingress', vipByDefault)))),
  );
}

function defaultSpecOf(object: KubeObject): KubeObject {
  return changeObject(object, (body) => withField(body, 'spec', specDefaults(objectAt(body, 'spec'))));
}

function vipByDefault(ingress: JsonObject): JsonObject {
  return stringAt(ingress, 'ip') === '' ? ingress : orDefaultPointer(ingress, 'ipMode', 'VIP');
}

const specDefaults: Change = inOrder(
  (spec) => orDefault(spec, 'sessionAffinity', 'None'),
  when(
    (spec) => stringAt(spec, 'sessionAffinity') === 'None',
    (spec) => withField(spec, 'sessionAffinityConfig', undefined),
  ),
  when(
    (spec) => stringAt(spec, 'sessionAffinity') === 'ClientIP' && !hasTimeout(spec),
    (spec) => withField(spec, 'sessionAffinityConfig', { clientIP: { timeoutSeconds: 10_800 } }),
  ),
  (spec) => orDefault(spec, 'type', 'ClusterIP'),
  inItems(
    'ports',
    inOrder(
      (port) => orDefault(port, 'protocol', 'TCP'),
      (port) => orDefault(port, 'targetPort', numberAt(port, 'port')),
    ),
  ),
  when(isExternallyAccessible, (spec) => orDefault(spec, 'externalTrafficPolicy', 'Cluster')),
  when(ofType('NodePort', 'LoadBalancer', 'ClusterIP'), (spec) =>
    orDefaultPointer(spec, 'internalTrafficPolicy', 'Cluster'),
  ),
  when(ofType('LoadBalancer'), (spec) => orDefaultPointer(spec, 'allocateLoadBalancerNodePorts', true)),
);

function hasTimeout(spec: JsonObject): boolean {
  return has(objectAt(spec, 'sessionAffinityConfig', 'clientIP'), 'timeoutSeconds');
}

/** Reached from outside the cluster: by a node's port, a load balancer or an address routed to the nodes. */
export function isExternallyAccessible(spec: JsonObject): boolean {
  const type = stringAt(spec, 'type');
  return (
    type === 'LoadBalancer' ||
    type === 'NodePort' ||
    (type === 'ClusterIP' && itemsAt(spec, 'externalIPs').length > 0)
  );
}

export function needsHealthCheck(spec: JsonObject): boolean {
  return stringAt(spec, 'type') === 'LoadBalancer' && stringAt(spec, 'externalTrafficPolicy') === 'Local';
}

export function needsNodePort(spec: JsonObject): boolean {
  return ['NodePort', 'LoadBalancer'].includes(stringAt(spec, 'type'));
}

export function needsClusterIp(spec: JsonObject): boolean {
  return stringAt(spec, 'type') !== 'ExternalName';
}

export function isHeadless(spec: JsonObject): boolean {
  const addresses = itemsAt(spec, 'clusterIPs');
  return addresses.length === 1 && addresses[0] === 'None';
}
