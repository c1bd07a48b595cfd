import type { corev1 } from '@kubewright/kube';
import {
  isDns1123Label,
  isDns1123Subdomain,
  isQualifiedName,
  isValidPortNumber,
} from '@kubewright/kube/validation';
import type { Field } from '../../validation/field.ts';
import { ipAddress, portNumberOrName } from '../../validation/formats.ts';
import { repeats } from '../../validation/repeats.ts';
import { validateLabels } from '../../validation/validate-labels.ts';
import { isExternallyAccessible, isHeadless, needsHealthCheck } from './default-service.ts';
import { validateClusterIps } from './validate-cluster-ips.ts';

type Spec = Field<corev1.ServiceSpec>;
type Port = Field<corev1.ServicePort>;

/** `validateService`: everything but metadata. */
export function validateService(service: Field<corev1.Service>, old?: Field<corev1.Service>): void {
  const spec = service.at('spec');
  const ports = spec.items('ports');
  validateTopologyAnnotations(service.at('metadata').at('annotations'));
  if (ports.length === 0 && !isHeadless(spec.object) && !spec.is('type', 'ExternalName'))
    spec.at('ports').addRequired();
  validateByType(spec);
  validatePorts(ports);
  spec.add(validateLabels(spec.object, 'selector', 'spec.selector'));
  validateAffinity(spec);
  validateClusterIps(spec);
  validateExternalIps(spec, old?.at('spec').texts('externalIPs') ?? []);
  spec.requireOneOf('type', ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort']);
  validateUniquePorts(ports, spec.is('type', 'ClusterIP'));
  validateBalancer(spec);
  validateTraffic(spec);
}

const HINTS = 'service.kubernetes.io/topology-aware-hints';
const MODE = 'service.kubernetes.io/topology-mode';

function validateTopologyAnnotations(annotations: Field<Readonly<Record<string, string>>>): void {
  const [hints, mode] = [annotations.maybeText(HINTS), annotations.maybeText(MODE)];
  if (hints !== undefined && mode !== undefined && hints !== mode)
    annotations.entry(MODE).addInvalid(`must match annotations[${HINTS}] when both are specified`);
}

function validateByType(spec: Spec): void {
  const type = spec.text('type');
  if (type === 'ExternalName') validateExternalName(spec);
  else if (isHeadless(spec.object) && (type === 'LoadBalancer' || type === 'NodePort'))
    spec.item('clusterIPs', 0).addInvalid(`may not be set to 'None' for ${type} services`);
}

function validateExternalName(spec: Spec): void {
  const detail = 'may not be set for ExternalName services';
  const value = spec.text('externalName').replace(/\.$/, '');
  for (const key of ['clusterIPs', 'ipFamilies'] as const)
    if (spec.count(key) > 0) spec.at(key).addForbidden(detail);
  spec.forbid('ipFamilyPolicy', detail);
  if (value === '') return spec.at('externalName').addRequired();
  for (const message of isDns1123Subdomain(value)) spec.at('externalName').addInvalid(message, { value });
}

function validatePorts(ports: readonly Port[]): void {
  const isRepeated = repeats();
  for (const port of ports) {
    const { value } = port.at('targetPort');
    const target = typeof value === 'string' ? value : Number(value ?? 0);
    if (port.text('name') !== '') {
      port.matches('name', isDns1123Label);
      port.at('name').mustBeNew(isRepeated);
    } else if (ports.length > 1) port.at('name').addRequired();
    port.matchesNumber('port', isValidPortNumber);
    port.requireOneOf('protocol', ['SCTP', 'TCP', 'UDP']);
    port.add(portNumberOrName(target, port.at('targetPort').path));
    port.matchesIfSet('appProtocol', isQualifiedName);
  }
}

function validateAffinity(spec: Spec): void {
  const client = spec.at('sessionAffinityConfig').at('clientIP');
  const value = client.number('timeoutSeconds');
  spec.requireOneOf('sessionAffinity', ['ClientIP', 'None']);
  if (spec.is('sessionAffinity', 'ClientIP') && (value <= 0 || value > 86_400))
    client.at('timeoutSeconds').addInvalid('must be greater than 0 and less than 86400', { value });
  if (spec.is('sessionAffinity', 'None'))
    spec.forbid('sessionAffinityConfig', 'must not be set when session affinity is None');
}

function validateExternalIps(spec: Spec, existing: readonly string[]): void {
  for (const address of spec.items('externalIPs')) {
    const errors = existing.includes(address.asText) ? [] : ipAddress(address.asText, address.path);
    address.add(errors);
    if (errors.length === 0) validateNotSpecial(address);
  }
}

function validateNotSpecial(address: Field<string>): void {
  const value = address.asText;
  const special: readonly (readonly [RegExp, string])[] = [
    [/^(0\.0\.0\.0|::)$/, `may not be unspecified (${value})`],
    [/^(127\.|::1$)/, 'may not be in the loopback range (127.0.0.0/8, ::1/128)'],
    [/^(169\.254\.|fe[89ab])/i, 'may not be in the link-local range (169.254.0.0/16, fe80::/10)'],
    [/^(224\.0\.0\.|ff02)/i, 'may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)'],
  ];
  for (const [pattern, detail] of special) if (pattern.test(value)) address.addInvalid(detail, { value });
}

/** Each pair of protocol and port once, and of protocol and node port. */
function validateUniquePorts(ports: readonly Port[], internal: boolean): void {
  const [isNodePortRepeated, isPortRepeated] = [repeats(), repeats()];
  const open = ports.filter((port) => port.number('nodePort') !== 0);
  if (internal)
    for (const port of open) port.at('nodePort').addForbidden("may not be used when `type` is 'ClusterIP'");
  for (const port of open) {
    const value = port.number('nodePort');
    if (isNodePortRepeated(`${port.text('protocol')}/${value}`)) port.at('nodePort').addDuplicate(value);
  }
  for (const port of ports) {
    const value = { protocol: port.text('protocol'), port: port.number('port') };
    if (isPortRepeated(`${value.protocol}/${value.port}`)) port.addDuplicate(value, 'core.ServicePort');
  }
}

function validateBalancer(spec: Spec): void {
  const only = "may only be used when `type` is 'LoadBalancer'";
  if (spec.is('type', 'LoadBalancer')) {
    // The path has no `spec`, as upstream.
    if (!spec.has('allocateLoadBalancerNodePorts'))
      spec.add([{ type: 'Required', field: 'allocateLoadBalancerNodePorts', detail: '' }]);
    return spec.matchesIfSet('loadBalancerClass', isQualifiedName);
  }
  if (spec.count('loadBalancerSourceRanges') > 0)
    spec.add([{ type: 'Forbidden', field: 'spec.LoadBalancerSourceRanges', detail: only }]);
  spec.forbid('allocateLoadBalancerNodePorts', only);
  if (spec.maybeText('loadBalancerClass') !== undefined) spec.at('loadBalancerClass').addForbidden(only);
}

function validateTraffic(spec: Spec): void {
  const policy = spec.text('externalTrafficPolicy');
  if (isExternallyAccessible(spec.object)) spec.requireOneOf('externalTrafficPolicy', ['Cluster', 'Local']);
  else if (policy !== '')
    spec.at('externalTrafficPolicy').addInvalid('may only be set for externally-accessible services');
  validateHealthCheck(spec);
  if (
    ['NodePort', 'LoadBalancer', 'ClusterIP'].includes(spec.text('type')) &&
    spec.maybeText('internalTrafficPolicy') === undefined
  )
    spec.at('internalTrafficPolicy').addRequired();
  spec.oneOfIfSet('internalTrafficPolicy', ['Cluster', 'Local']);
  spec.oneOfIfSet('trafficDistribution', ['PreferClose', 'PreferSameZone', 'PreferSameNode']);
}

function validateHealthCheck(spec: Spec): void {
  const [port, value] = [spec.at('healthCheckNodePort'), spec.number('healthCheckNodePort')];
  const detail = "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'";
  if (!needsHealthCheck(spec.object)) {
    if (value !== 0) port.addInvalid(detail, { value });
  } else if (value === 0) port.addRequired();
  else spec.matchesNumber('healthCheckNodePort', isValidPortNumber);
}
