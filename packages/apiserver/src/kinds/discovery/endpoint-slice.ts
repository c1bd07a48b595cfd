import { isIPv4, isIPv6 } from 'node:net';
import { type JsonObject, type KubeObject, jsonEqual } from '@kubewright/kube';
import { fieldErrors, isDns1123Label, isDns1123Subdomain } from '@kubewright/kube/validation';
import type { Strategy } from '../../model/resource-definition.ts';
import {
  type Errors,
  each,
  immutable,
  invalid,
  invalidFor,
  nameIsDnsSubdomain,
  NONE,
  oneOf,
  qualifiedName,
  required,
  requiredOneOf,
} from '../../validation/errors.ts';
import { endpointIp } from '../../validation/endpoint-ip.ts';
import { ipAddress } from '../../validation/formats.ts';
import { validateObjectMeta } from '../../validation/validate-object-meta.ts';
import { bodyOf, maybeString, objectsAt, stringAt, stringsAt, valueAt } from '../../objects/read.ts';
import { generationOf, withGeneration } from '../../model/status-strategy.ts';
import { changeObject, inItems, inOrder, orDefaultPointer, withField } from '../../objects/change-object.ts';

const RULES = { namespaced: true, name: nameIsDnsSubdomain };
const MOST = { endpoints: 1000, ports: 20_000, addresses: 100 } as const;

/** `discovery.k8s.io/v1 EndpointSlice`. Whatever is not metadata counts, and so do its labels. */
export const endpointSlice: Strategy = {
  default: (object) =>
    changeObject(
      object,
      inItems(
        'ports',
        inOrder(
          (port) => orDefaultPointer(port, 'name', ''),
          (port) => orDefaultPointer(port, 'protocol', 'TCP'),
        ),
      ),
    ),
  prepareForCreate: (object) => withGeneration(object, 1),
  prepareForUpdate: (object, old) =>
    sameContent(object, old) ? object : withGeneration(object, generationOf(old) + 1),
  validateCreate: (object) => validate(object, undefined),
  validateUpdate: (object, old) => [
    ...validate(object, old),
    ...immutable(valueAt(bodyOf(object), 'addressType'), valueAt(bodyOf(old), 'addressType'), 'addressType'),
  ],
};

function sameContent(a: KubeObject, b: KubeObject): boolean {
  const content = (object: KubeObject): JsonObject => withField(bodyOf(object), 'metadata', undefined);
  return jsonEqual(content(a), content(b)) && jsonEqual(a.metadata.labels ?? {}, b.metadata.labels ?? {});
}

function validate(object: KubeObject, old: KubeObject | undefined): Errors {
  const body = bodyOf(object);
  const kept = old !== undefined && jsonEqual(valueAt(body, 'endpoints'), valueAt(bodyOf(old), 'endpoints'));
  return [
    ...validateObjectMeta(object, RULES),
    ...requiredOneOf(stringAt(body, 'addressType'), 'addressType', ['FQDN', 'IPv4', 'IPv6']),
    ...validatePorts(objectsAt(body, 'ports')),
    ...(kept ? NONE : validateEndpoints(objectsAt(body, 'endpoints'), stringAt(body, 'addressType'))),
  ];
}

function validatePorts(ports: readonly JsonObject[]): Errors {
  if (ports.length > MOST.ports) return [fieldErrors.tooMany('ports', ports.length, MOST.ports)];
  const names = new Set<string>();
  return each(ports, 'ports', (port, path) => {
    const name = stringAt(port, 'name');
    const again = names.has(name);
    names.add(name);
    const appProtocol = maybeString(port, 'appProtocol');
    return [
      ...(name === '' ? NONE : invalidFor(`${path}.name`, name, isDns1123Label(name))),
      ...(again ? [fieldErrors.duplicate(`${path}.name`, name)] : NONE),
      ...oneOf(stringAt(port, 'protocol'), `${path}.protocol`, ['SCTP', 'TCP', 'UDP']),
      ...(appProtocol === undefined ? NONE : qualifiedName(appProtocol, `${path}.appProtocol`)),
    ];
  });
}

function validateEndpoints(endpoints: readonly JsonObject[], type: string): Errors {
  if (endpoints.length > MOST.endpoints) {
    return [fieldErrors.tooMany('endpoints', endpoints.length, MOST.endpoints)];
  }
  return each(endpoints, 'endpoints', (endpoint, path) => {
    const [node, host] = [maybeString(endpoint, 'nodeName'), maybeString(endpoint, 'hostname')];
    return [
      ...validateAddresses(stringsAt(endpoint, 'addresses'), type, `${path}.addresses`),
      ...(node === undefined ? NONE : invalidFor(`${path}.nodeName`, node, isDns1123Subdomain(node))),
      ...(host === undefined ? NONE : invalidFor(`${path}.hostname`, host, isDns1123Label(host))),
    ];
  });
}

function validateAddresses(addresses: readonly string[], type: string, path: string): Errors {
  if (addresses.length > MOST.addresses) {
    return [fieldErrors.tooMany(path, addresses.length, MOST.addresses)];
  }
  return [
    ...required(addresses.length > 0, path, 'must contain at least 1 address'),
    ...each(addresses, path, (address, at) => validateAddress(address, type, path, at)),
  ];
}

function validateAddress(address: string, type: string, path: string, at: string): Errors {
  if (type !== 'IPv4' && type !== 'IPv6') return NONE;
  const wrong = ipAddress(address, at);
  if (wrong.length > 0) return wrong;
  const fits = type === 'IPv4' ? isIPv4(address) : isIPv6(address);
  return [...invalid(!fits, path, address, `must be an ${type} address`), ...endpointIp(address, at)];
}
