import { type corev1, jsonEqual } from '@kubewright/kube';
import {
  isDns1123Label,
  isDns1123Subdomain,
  isQualifiedName,
  isValidPortNumber,
} from '@kubewright/kube/validation';
import type { Strategy } from '../../model/resource-definition.ts';
import { nameIsDnsSubdomain } from '../../validation/errors.ts';
import { endpointIp } from '../../validation/endpoint-ip.ts';
import type { Field } from '../../validation/field.ts';
import { ipAddress } from '../../validation/formats.ts';
import { objectErrors } from '../../validation/spec-errors.ts';
import { validateObjectMeta, validateObjectMetaUpdate } from '../../validation/validate-object-meta.ts';
import { changeObject, inItems, zeroDefaults } from '../../objects/change-object.ts';

const RULES = { namespaced: true, name: nameIsDnsSubdomain };

const portDefaults = inItems('ports', zeroDefaults<corev1.EndpointPort>({ protocol: 'TCP' }));

/** `v1 Endpoints`: what EndpointSlices were before. */
export const endpoints: Strategy = {
  default: (object) => changeObject(object, inItems('subsets', portDefaults)),
  validateCreate: (object) => [...validateObjectMeta(object, RULES), ...objectErrors(validate, object)],
  validateUpdate: (object, old) => [
    ...validateObjectMetaUpdate(object, old),
    ...validateObjectMeta(object, RULES),
    ...objectErrors(validate, object, old),
  ],
};

function validate(body: Field<corev1.Endpoints>, old?: Field<corev1.Endpoints>): void {
  if (old !== undefined && jsonEqual(body.at('subsets').value, old.at('subsets').value)) return;
  for (const subset of body.items('subsets')) validateSubset(subset);
}

function validateSubset(subset: Field<corev1.EndpointSubset>): void {
  const addresses = [...subset.items('addresses'), ...subset.items('notReadyAddresses')];
  const ports = subset.items('ports');
  if (addresses.length === 0) subset.addRequired('must specify `addresses` or `notReadyAddresses`');
  for (const address of addresses) validateAddress(address);
  for (const port of ports) validatePort(port, ports.length > 1);
}

function validateAddress(address: Field<corev1.EndpointAddress>): void {
  address.at('ip').checkText(ipAddress);
  if (address.text('hostname') !== '') address.matches('hostname', isDns1123Label);
  address.matchesIfSet('nodeName', isDns1123Subdomain);
  address.at('ip').checkText(endpointIp);
}

function validatePort(port: Field<corev1.EndpointPort>, named: boolean): void {
  if (named) port.requireMatch('name', isDns1123Label);
  else if (port.text('name') !== '') port.matches('name', isDns1123Label);
  port.matchesNumber('port', isValidPortNumber);
  port.requireOneOf('protocol', ['SCTP', 'TCP', 'UDP']);
  port.matchesIfSet('appProtocol', isQualifiedName);
}
