import type { JsonObject, KubeObject } from '@kubewright/kube';
import type { FieldError } from '@kubewright/kube/validation';
import { fieldErrors, isDns1123Subdomain, isValidPortNumber } from '@kubewright/kube/validation';
import {
  dnsLabel,
  type Errors,
  each,
  forbidden,
  invalid,
  invalidFor,
  NONE,
  oneOf,
  qualifiedName,
  required,
  requiredOneOf,
} from '../../validation/errors.ts';
import { ipAddress, portNumberOrName } from '../../validation/formats.ts';
import { validateLabels } from '../../validation/validate-labels.ts';
import {
  has,
  itemsAt,
  maybeNumber,
  maybeString,
  metadataOf,
  numberAt,
  objectAt,
  objectsAt,
  specOf,
  stringAt,
  stringsAt,
  valueAt,
} from '../../objects/read.ts';
import { showing } from '../../validation/shown-as.ts';
import { isExternallyAccessible, isHeadless, needsHealthCheck } from './default-service.ts';
import { validateClusterIps } from './validate-cluster-ips.ts';

/** `validateService`: everything but metadata. */
export function validateService(object: KubeObject, old?: KubeObject): Errors {
  const spec = specOf(object);
  const type = stringAt(spec, 'type');
  const ports = objectsAt(spec, 'ports');
  return [
    ...validateTopologyAnnotations(objectAt(metadataOf(object), 'annotations')),
    ...required(ports.length > 0 || isHeadless(spec) || type === 'ExternalName', 'spec.ports'),
    ...validateByType(spec, type),
    ...validatePorts(ports),
    ...validateLabels(spec, 'selector', 'spec.selector'),
    ...validateAffinity(spec),
    ...validateClusterIps(spec),
    ...validateExternalIps(spec, old),
    ...requiredOneOf(type, 'spec.type', ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort']),
    ...validateUniquePorts(ports, type),
    ...validateBalancer(spec, type),
    ...validateTraffic(spec, type),
  ];
}

const HINTS = 'service.kubernetes.io/topology-aware-hints';
const MODE = 'service.kubernetes.io/topology-mode';

function validateTopologyAnnotations(annotations: JsonObject): Errors {
  const [hints, mode] = [maybeString(annotations, HINTS), maybeString(annotations, MODE)];
  const differ = hints !== undefined && mode !== undefined && hints !== mode;
  const detail = `must match annotations[${HINTS}] when both are specified`;
  return invalid(differ, `metadata.annotations[${MODE}]`, mode ?? null, detail);
}

function validateByType(spec: JsonObject, type: string): Errors {
  if (type === 'ExternalName') return validateExternalName(spec);
  const headless = isHeadless(spec) && (type === 'LoadBalancer' || type === 'NodePort');
  return invalid(headless, 'spec.clusterIPs[0]', 'None', `may not be set to 'None' for ${type} services`);
}

function validateExternalName(spec: JsonObject): Errors {
  const detail = 'may not be set for ExternalName services';
  const name = stringAt(spec, 'externalName').replace(/\.$/, '');
  return [
    ...forbidden(itemsAt(spec, 'clusterIPs').length > 0, 'spec.clusterIPs', detail),
    ...forbidden(itemsAt(spec, 'ipFamilies').length > 0, 'spec.ipFamilies', detail),
    ...forbidden(has(spec, 'ipFamilyPolicy'), 'spec.ipFamilyPolicy', detail),
    ...(name === ''
      ? required(false, 'spec.externalName')
      : invalidFor('spec.externalName', name, isDns1123Subdomain(name))),
  ];
}

function validatePorts(ports: readonly JsonObject[]): Errors {
  const names = new Set<string>();
  return each(ports, 'spec.ports', (port, path) => {
    const number = numberAt(port, 'port');
    const target = valueAt(port, 'targetPort');
    const protocol = maybeString(port, 'appProtocol');
    return [
      ...validatePortName(stringAt(port, 'name'), ports.length > 1, names, `${path}.name`),
      ...invalidFor(`${path}.port`, number, isValidPortNumber(number)),
      ...requiredOneOf(stringAt(port, 'protocol'), `${path}.protocol`, ['SCTP', 'TCP', 'UDP']),
      ...portNumberOrName(typeof target === 'string' ? target : Number(target ?? 0), `${path}.targetPort`),
      ...(protocol === undefined ? NONE : qualifiedName(protocol, `${path}.appProtocol`)),
    ];
  });
}

function validatePortName(name: string, needed: boolean, names: Set<string>, path: string): Errors {
  if (name === '') return required(!needed, path);
  const again = names.has(name) ? [fieldErrors.duplicate(path, name)] : NONE;
  names.add(name);
  return [...dnsLabel(name, path), ...again];
}

function validateAffinity(spec: JsonObject): Errors {
  const affinity = stringAt(spec, 'sessionAffinity');
  const path = 'spec.sessionAffinityConfig';
  const timeout = maybeNumber(objectAt(spec, 'sessionAffinityConfig', 'clientIP'), 'timeoutSeconds') ?? 0;
  return [
    ...requiredOneOf(affinity, 'spec.sessionAffinity', ['ClientIP', 'None']),
    ...invalid(
      affinity === 'ClientIP' && (timeout <= 0 || timeout > 86_400),
      `${path}.clientIP.timeoutSeconds`,
      timeout,
      'must be greater than 0 and less than 86400',
    ),
    ...forbidden(
      affinity === 'None' && has(spec, 'sessionAffinityConfig'),
      path,
      'must not be set when session affinity is None',
    ),
  ];
}

function validateExternalIps(spec: JsonObject, old: KubeObject | undefined): Errors {
  const existing = old === undefined ? [] : stringsAt(specOf(old), 'externalIPs');
  return each(stringsAt(spec, 'externalIPs'), 'spec.externalIPs', (address, path) => {
    const errors = existing.includes(address) ? NONE : ipAddress(address, path);
    return errors.length > 0 ? errors : validateNotSpecial(address, path);
  });
}

function validateNotSpecial(address: string, path: string): Errors {
  const special: readonly (readonly [RegExp, string])[] = [
    [/^(0\.0\.0\.0|::)$/, `may not be unspecified (${address})`],
    [/^(127\.|::1$)/, 'may not be in the loopback range (127.0.0.0/8, ::1/128)'],
    [/^(169\.254\.|fe[89ab])/i, 'may not be in the link-local range (169.254.0.0/16, fe80::/10)'],
    [/^(224\.0\.0\.|ff02)/i, 'may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)'],
  ];
  return special.flatMap(([pattern, detail]) => invalid(pattern.test(address), path, address, detail));
}

function validateUniquePorts(ports: readonly JsonObject[], type: string): Errors {
  return [
    ...each(ports, 'spec.ports', (port, path) =>
      forbidden(
        type === 'ClusterIP' && numberAt(port, 'nodePort') !== 0,
        `${path}.nodePort`,
        "may not be used when `type` is 'ClusterIP'",
      ),
    ),
    ...repeated(ports, 'nodePort'),
    ...repeated(ports, 'port'),
  ];
}

/** Each pair of protocol and `key` once; an unset node port does not count. */
function repeated(ports: readonly JsonObject[], key: 'nodePort' | 'port'): Errors {
  const seen = new Set<string>();
  const errors: FieldError[] = [];
  for (const [index, port] of ports.entries()) {
    const [number, protocol] = [numberAt(port, key), stringAt(port, 'protocol')];
    if (key === 'nodePort' && number === 0) continue;
    const pair = `${protocol}/${number}`;
    const path = `spec.ports[${index}]`;
    if (seen.has(pair)) {
      errors.push(
        ...(key === 'port'
          ? showing('core.ServicePort', [fieldErrors.duplicate(path, { protocol, port: number })])
          : [fieldErrors.duplicate(`${path}.nodePort`, number)]),
      );
    }
    seen.add(pair);
  }
  return errors;
}

function validateBalancer(spec: JsonObject, type: string): Errors {
  const isBalancer = type === 'LoadBalancer';
  const only = "may only be used when `type` is 'LoadBalancer'";
  const kind = maybeString(spec, 'loadBalancerClass');
  return [
    ...forbidden(
      !isBalancer && itemsAt(spec, 'loadBalancerSourceRanges').length > 0,
      'spec.LoadBalancerSourceRanges',
      only,
    ),
    ...forbidden(
      !isBalancer && has(spec, 'allocateLoadBalancerNodePorts'),
      'spec.allocateLoadBalancerNodePorts',
      only,
    ),
    ...required(!isBalancer || has(spec, 'allocateLoadBalancerNodePorts'), 'allocateLoadBalancerNodePorts'),
    ...(kind !== undefined && isBalancer ? qualifiedName(kind, 'spec.loadBalancerClass') : NONE),
    ...forbidden(kind !== undefined && !isBalancer, 'spec.loadBalancerClass', only),
  ];
}

const WITH_INTERNAL = ['NodePort', 'LoadBalancer', 'ClusterIP'];

function validateTraffic(spec: JsonObject, type: string): Errors {
  const policy = stringAt(spec, 'externalTrafficPolicy');
  const internal = maybeString(spec, 'internalTrafficPolicy');
  const distribution = maybeString(spec, 'trafficDistribution');
  const outside = isExternallyAccessible(spec);
  return [
    ...invalid(
      !outside && policy !== '',
      'spec.externalTrafficPolicy',
      policy,
      'may only be set for externally-accessible services',
    ),
    ...(outside ? requiredOneOf(policy, 'spec.externalTrafficPolicy', ['Cluster', 'Local']) : NONE),
    ...validateHealthCheck(spec),
    ...required(internal !== undefined || !WITH_INTERNAL.includes(type), 'spec.internalTrafficPolicy'),
    ...(internal === undefined ? NONE : oneOf(internal, 'spec.internalTrafficPolicy', ['Cluster', 'Local'])),
    ...(distribution === undefined
      ? NONE
      : oneOf(distribution, 'spec.trafficDistribution', ['PreferClose', 'PreferSameZone', 'PreferSameNode'])),
  ];
}

function validateHealthCheck(spec: JsonObject): Errors {
  const port = numberAt(spec, 'healthCheckNodePort');
  const path = 'spec.healthCheckNodePort';
  if (!needsHealthCheck(spec)) {
    const detail = "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'";
    return invalid(port !== 0, path, port, detail);
  }
  return port === 0 ? required(false, path) : invalidFor(path, port, isValidPortNumber(port));
}
