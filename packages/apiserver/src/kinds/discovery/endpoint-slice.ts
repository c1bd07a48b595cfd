import { isIPv4, isIPv6 } from 'node:net';
import { type discoveryv1, type JsonObject, jsonEqual, type KubeObject } from '@kubewright/kube';
import { isDns1123Label, isDns1123Subdomain, isQualifiedName } from '@kubewright/kube/validation';
import type { Strategy } from '../../model/resource-definition.ts';
import { nameIsDnsSubdomain } from '../../validation/errors.ts';
import { endpointIp } from '../../validation/endpoint-ip.ts';
import type { Field } from '../../validation/field.ts';
import { objectErrors } from '../../validation/spec-errors.ts';
import { ipAddress } from '../../validation/formats.ts';
import { repeats } from '../../validation/repeats.ts';
import { validateObjectMeta } from '../../validation/validate-object-meta.ts';
import { bodyOf } from '../../objects/read.ts';
import { generationOf, withGeneration } from '../../model/status-strategy.ts';
import { changeObject, defaults, inItems, withField } from '../../objects/change-object.ts';

type Slice = Field<discoveryv1.EndpointSlice>;
type Endpoint = Field<discoveryv1.Endpoint>;

const RULES = { namespaced: true, name: nameIsDnsSubdomain };
const MOST = { endpoints: 1000, ports: 20_000, addresses: 100 } as const;

const portDefaults = inItems('ports', defaults<discoveryv1.EndpointPort>({ name: '', protocol: 'TCP' }));

/** `discovery.k8s.io/v1 EndpointSlice`. Whatever is not metadata counts, and so do its labels. */
export const endpointSlice: Strategy = {
  default: (object) => changeObject(object, portDefaults),
  prepareForCreate: (object) => withGeneration(object, 1),
  prepareForUpdate: (object, old) =>
    sameContent(object, old) ? object : withGeneration(object, generationOf(old) + 1),
  validateCreate: (object) => [...validateObjectMeta(object, RULES), ...objectErrors(validate, object)],
  validateUpdate: (object, old) => [
    ...validateObjectMeta(object, RULES),
    ...objectErrors(validate, object, old),
  ],
};

function sameContent(a: KubeObject, b: KubeObject): boolean {
  const content = (object: KubeObject): JsonObject => withField(bodyOf(object), 'metadata', undefined);
  return jsonEqual(content(a), content(b)) && jsonEqual(a.metadata.labels ?? {}, b.metadata.labels ?? {});
}

function validate(slice: Slice, old?: Slice): void {
  slice.requireOneOf('addressType', ['FQDN', 'IPv4', 'IPv6']);
  validatePorts(slice);
  if (old === undefined || !jsonEqual(slice.at('endpoints').value, old.at('endpoints').value))
    validateEndpoints(slice);
  if (old !== undefined) slice.immutable(old, 'addressType');
}

function validatePorts(slice: Slice): void {
  slice.atMostItems('ports', MOST.ports);
  if (slice.count('ports') > MOST.ports) return;
  const isRepeated = repeats();
  for (const port of slice.items('ports')) {
    if (port.text('name') !== '') port.matches('name', isDns1123Label);
    port.at('name').mustBeNew(isRepeated);
    port.oneOf('protocol', ['SCTP', 'TCP', 'UDP']);
    port.matchesIfSet('appProtocol', isQualifiedName);
  }
}

function validateEndpoints(slice: Slice): void {
  slice.atMostItems('endpoints', MOST.endpoints);
  if (slice.count('endpoints') > MOST.endpoints) return;
  for (const endpoint of slice.items('endpoints')) {
    validateAddresses(endpoint, slice.text('addressType'));
    endpoint.matchesIfSet('nodeName', isDns1123Subdomain);
    endpoint.matchesIfSet('hostname', isDns1123Label);
  }
}

function validateAddresses(endpoint: Endpoint, type: string): void {
  const [addresses, { length }] = [endpoint.at('addresses'), endpoint.items('addresses')];
  if (length > MOST.addresses) return addresses.addTooMany(length, MOST.addresses);
  if (length === 0) addresses.addRequired('must contain at least 1 address');
  if (type !== 'IPv4' && type !== 'IPv6') return;
  for (const address of endpoint.items('addresses')) {
    const wrong = ipAddress(address.asText, address.path);
    const fits = type === 'IPv4' ? isIPv4(address.asText) : isIPv6(address.asText);
    if (wrong.length === 0 && !fits)
      addresses.addInvalid(`must be an ${type} address`, { value: address.asText });
    addresses.add(wrong.length > 0 ? wrong : endpointIp(address.asText, address.path));
  }
}
