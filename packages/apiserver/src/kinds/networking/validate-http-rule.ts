import type { JsonObject } from '@kubewright/kube';
import { isDns1123Label, isValidPortName, isValidPortNumber } from '@kubewright/kube/validation';
import { type Errors, each, invalid, invalidFor, NONE, oneOf, required } from '../../validation/errors.ts';
import { maybeObject, maybeString, numberAt, objectAt, objectsAt, stringAt } from '../../objects/read.ts';
import { validateTypedReference } from './validate-typed-reference.ts';

const PATH_TYPES = ['Exact', 'ImplementationSpecific', 'Prefix'];
const NOT_INSIDE = ['//', '/./', '/../', '%2f', '%2F'];
const NOT_AT_THE_END = ['/..', '/.'];

/** `http` of an Ingress' rule: which paths lead where. */
export function validateHttpRule(http: JsonObject, at: string): Errors {
  const paths = objectsAt(http, 'paths');
  return [
    ...required(paths.length > 0, `${at}.paths`),
    ...each(paths, `${at}.paths`, (path, place) => {
      const type = maybeString(path, 'pathType');
      if (type === undefined) return required(false, `${place}.pathType`, 'pathType must be specified');
      return [
        ...validatePath(stringAt(path, 'path'), type, place),
        ...validateBackend(objectAt(path, 'backend'), `${place}.backend`),
      ];
    }),
  ];
}

function validatePath(path: string, type: string, place: string): Errors {
  if (!PATH_TYPES.includes(type)) return oneOf(type, `${place}.pathType`, PATH_TYPES);
  const at = `${place}.path`;
  const implementation = type === 'ImplementationSpecific';
  const needed = !implementation || path !== '';
  return [
    ...invalid(needed && !path.startsWith('/'), at, path, 'must be an absolute path'),
    ...(implementation ? NONE : plain(path, at)),
  ];
}

function plain(path: string, at: string): Errors {
  return [
    ...NOT_INSIDE.flatMap((part) => invalid(path.includes(part), at, path, `must not contain '${part}'`)),
    ...NOT_AT_THE_END.flatMap((end) => invalid(path.endsWith(end), at, path, `cannot end with '${end}'`)),
  ];
}

/** A backend: a Service's port, or a resource that the Ingress controller supports. */
export function validateBackend(backend: JsonObject, at: string): Errors {
  const [service, resource] = [maybeObject(backend, 'service'), maybeObject(backend, 'resource')];
  if (service !== undefined && resource !== undefined)
    return invalid(true, at, '', 'cannot set both resource and service backends');
  if (resource !== undefined) return validateTypedReference(resource, `${at}.resource`);
  if (service !== undefined) return validateService(service, at);
  return invalid(true, at, '', 'resource or service backend is required');
}

function validateService(service: JsonObject, at: string): Errors {
  const name = stringAt(service, 'name');
  const path = `${at}.service.name`;
  return [
    ...(name === '' ? required(false, path) : invalidFor(path, name, isDns1123Label(name))),
    ...validatePort(objectAt(service, 'port'), at),
  ];
}

function validatePort(port: JsonObject, at: string): Errors {
  const [name, number] = [stringAt(port, 'name'), numberAt(port, 'number')];
  if (name !== '' && number !== 0) return invalid(true, at, '', 'cannot set both port name & port number');
  if (name !== '') return invalidFor(`${at}.service.port.name`, name, isValidPortName(name));
  if (number !== 0) return invalidFor(`${at}.service.port.number`, number, isValidPortNumber(number));
  return required(false, at, 'port name or number is required');
}
