import type { networkingv1 } from '@kubewright/kube';
import { isDns1123Label, isValidPortName, isValidPortNumber } from '@kubewright/kube/validation';
import type { Field } from '../../validation/field.ts';
import { validateTypedReference } from './validate-typed-reference.ts';

type Backend = Field<networkingv1.IngressBackend>;

const PATH_TYPES = ['Exact', 'ImplementationSpecific', 'Prefix'];
const NOT_INSIDE = ['//', '/./', '/../', '%2f', '%2F'];
const NOT_AT_THE_END = ['/..', '/.'];

/** `http` of an Ingress' rule: which paths lead where. */
export function validateHttpRule(http: Field<networkingv1.HTTPIngressRuleValue>): void {
  const paths = http.items('paths');
  if (paths.length === 0) http.at('paths').addRequired('');
  for (const path of paths) {
    if (path.maybeText('pathType') === undefined) {
      path.at('pathType').addRequired('pathType must be specified');
    } else {
      validatePath(path);
      validateBackend(path.at('backend'));
    }
  }
}

function validatePath(path: Field<networkingv1.HTTPIngressPath>): void {
  const [text, type] = [path.text('path'), path.text('pathType')];
  const invalid = (detail: string): void => path.at('path').addInvalid(detail, { value: text });
  if (!PATH_TYPES.includes(type)) return path.at('pathType').addNotSupported(PATH_TYPES);
  const implementation = type === 'ImplementationSpecific';
  if ((!implementation || text !== '') && !text.startsWith('/')) invalid('must be an absolute path');
  if (implementation) return;
  for (const part of NOT_INSIDE) if (text.includes(part)) invalid(`must not contain '${part}'`);
  for (const end of NOT_AT_THE_END) if (text.endsWith(end)) invalid(`cannot end with '${end}'`);
}

/** A backend: a Service's port, or a resource that the Ingress controller supports. */
export function validateBackend(backend: Backend): void {
  const [service, resource] = [backend.maybeAt('service'), backend.maybeAt('resource')];
  if (service !== undefined && resource !== undefined)
    backend.addInvalid('cannot set both resource and service backends', { value: '' });
  else if (resource !== undefined) validateTypedReference(resource);
  else if (service === undefined)
    backend.addInvalid('resource or service backend is required', { value: '' });
  else {
    service.requireMatch('name', isDns1123Label);
    validatePort(service.at('port'), backend);
  }
}

function validatePort(port: Field<networkingv1.ServiceBackendPort>, backend: Backend): void {
  const [name, value] = [port.text('name'), port.number('number')];
  if (name !== '' && value !== 0)
    backend.addInvalid('cannot set both port name & port number', { value: '' });
  else if (name !== '') port.matches('name', isValidPortName);
  else if (value !== 0)
    for (const message of isValidPortNumber(value)) port.at('number').addInvalid(message, { value });
  else backend.addRequired('port name or number is required');
}
