import type { corev1, JsonObject, KubeObject } from '@kubewright/kube';
import { has, itemsAt, numberAt, objectAt, specOf, stringAt } from '../../objects/read.ts';
import {
  type Change,
  changeObject,
  defaults,
  inField,
  inItems,
  inOrder,
  inStruct,
  orDefault,
  when,
  withField,
  zeroDefaults,
} from '../../objects/change-object.ts';

type Spec = corev1.ServiceSpec;

const ofType =
  (...types: readonly string[]) =>
  (spec: JsonObject): boolean =>
    types.includes(stringAt(spec, 'type'));

/** `SetDefaults_Service`. */
export function defaultService(object: KubeObject): KubeObject {
  const next = changeObject(object, inStruct<corev1.Service>('spec', specDefaults));
  return ofType('LoadBalancer')(specOf(next)) ? changeObject(next, statusDefaults) : next;
}

const statusDefaults = inField(
  'status',
  inField(
    'loadBalancer',
    inItems(
      'ingress',
      when(
        (ingress) => stringAt(ingress, 'ip') !== '',
        defaults<corev1.LoadBalancerIngress>({ ipMode: 'VIP' }),
      ),
    ),
  ),
);

const specDefaults: Change = inOrder(
  zeroDefaults<Spec>({ sessionAffinity: 'None' }),
  when(
    (spec) => stringAt(spec, 'sessionAffinity') === 'None',
    (spec) => withField(spec, 'sessionAffinityConfig', undefined),
  ),
  when(
    (spec) => stringAt(spec, 'sessionAffinity') === 'ClientIP' && !hasTimeout(spec),
    (spec) => withField(spec, 'sessionAffinityConfig', { clientIP: { timeoutSeconds: 10_800 } }),
  ),
  zeroDefaults<Spec>({ type: 'ClusterIP' }),
  inItems(
    'ports',
    inOrder(zeroDefaults<corev1.ServicePort>({ protocol: 'TCP' }), (port) =>
      orDefault(port, 'targetPort', numberAt(port, 'port')),
    ),
  ),
  when(isExternallyAccessible, zeroDefaults<Spec>({ externalTrafficPolicy: 'Cluster' })),
  when(ofType('NodePort', 'LoadBalancer', 'ClusterIP'), defaults<Spec>({ internalTrafficPolicy: 'Cluster' })),
  when(ofType('LoadBalancer'), defaults<Spec>({ allocateLoadBalancerNodePorts: true })),
);

function hasTimeout(spec: JsonObject): boolean {
  return has(objectAt(spec, 'sessionAffinityConfig', 'clientIP'), 'timeoutSeconds');
}

/** Reached from outside the cluster: by a node's port, a load balancer or an address routed to the nodes. */
export function isExternallyAccessible(spec: JsonObject): boolean {
  const routed = ofType('ClusterIP')(spec) && itemsAt(spec, 'externalIPs').length > 0;
  return routed || needsNodePort(spec);
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
