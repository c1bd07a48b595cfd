import { type JsonObject, type KubeObject, jsonEqual } from '@kubewright/kube';
import { isDns1123Label, isDns1123Subdomain, isValidPortNumber } from '@kubewright/kube/validation';
import type { Strategy } from '../../model/resource-definition.ts';
import {
  type Errors,
  each,
  invalidFor,
  nameIsDnsSubdomain,
  NONE,
  qualifiedName,
  required,
  requiredOneOf,
} from '../../validation/errors.ts';
import { endpointIp } from '../../validation/endpoint-ip.ts';
import { ipAddress } from '../../validation/formats.ts';
import { validateObjectMeta, validateObjectMetaUpdate } from '../../validation/validate-object-meta.ts';
import { bodyOf, maybeString, numberAt, objectsAt, stringAt, valueAt } from '../../objects/read.ts';
import { changeObject, inItems, orDefault } from '../../objects/change-object.ts';

const RULES = { namespaced: true, name: nameIsDnsSubdomain };

/** `v1 Endpoints`: what EndpointSlices were before. */
export const endpoints: Strategy = {
  default: (object) =>
    changeObject(
      object,
      inItems(
        'subsets',
        inItems('ports', (port) => orDefault(port, 'protocol', 'TCP')),
      ),
    ),
  validateCreate: (object) => validate(object, undefined),
  validateUpdate: (object, old) => [...validateObjectMetaUpdate(object, old), ...validate(object, old)],
};

function validate(object: KubeObject, old: KubeObject | undefined): Errors {
  const body = bodyOf(object);
  const kept = old !== undefined && jsonEqual(valueAt(body, 'subsets'), valueAt(bodyOf(old), 'subsets'));
  return [
    ...validateObjectMeta(object, RULES),
    ...(kept ? NONE : each(objectsAt(body, 'subsets'), 'subsets', validateSubset)),
  ];
}

function validateSubset(subset: JsonObject, path: string): Errors {
  const [ready, notReady] = [objectsAt(subset, 'addresses'), objectsAt(subset, 'notReadyAddresses')];
  const ports = objectsAt(subset, 'ports');
  const some = ready.length + notReady.length > 0;
  return [
    ...required(some, path, 'must specify `addresses` or `notReadyAddresses`'),
    ...each(ready, `${path}.addresses`, validateAddress),
    ...each(notReady, `${path}.notReadyAddresses`, validateAddress),
    ...each(ports, `${path}.ports`, (port, at) => validatePort(port, at, ports.length > 1)),
  ];
}

function validateAddress(address: JsonObject, path: string): Errors {
  const [ip, host] = [stringAt(address, 'ip'), stringAt(address, 'hostname')];
  const node = maybeString(address, 'nodeName');
  return [
    ...ipAddress(ip, `${path}.ip`),
    ...(host === '' ? NONE : invalidFor(`${path}.hostname`, host, isDns1123Label(host))),
    ...(node === undefined ? NONE : invalidFor(`${path}.nodeName`, node, isDns1123Subdomain(node))),
    ...endpointIp(ip, `${path}.ip`),
  ];
}

function validatePort(port: JsonObject, path: string, named: boolean): Errors {
  const [name, number] = [stringAt(port, 'name'), numberAt(port, 'port')];
  const appProtocol = maybeString(port, 'appProtocol');
  return [
    ...(name === ''
      ? required(!named, `${path}.name`)
      : invalidFor(`${path}.name`, name, isDns1123Label(name))),
    ...invalidFor(`${path}.port`, number, isValidPortNumber(number)),
    ...requiredOneOf(stringAt(port, 'protocol'), `${path}.protocol`, ['SCTP', 'TCP', 'UDP']),
    ...(appProtocol === undefined ? NONE : qualifiedName(appProtocol, `${path}.appProtocol`)),
  ];
}
