import type { JsonObject, KubeObject } from '@kubewright/kube';
import { fieldErrors, isDns1123Subdomain } from '@kubewright/kube/validation';
import type { Strategy } from '../../model/resource-definition.ts';
import {
  dnsLabel,
  type Errors,
  forbidden,
  immutable,
  inside,
  invalidFor,
  nameIsDnsSubdomain,
  NONE,
  oneOf,
  required,
} from '../../validation/errors.ts';
import { validateObjectMeta, validateObjectMetaUpdate } from '../../validation/validate-object-meta.ts';
import { maybeObject, maybeString, specOf, stringAt, valueAt } from '../../objects/read.ts';
import { changed, generationOf, withGeneration } from '../../model/status-strategy.ts';
import { changeObject, inField, orDefaultPointer } from '../../objects/change-object.ts';
import { validateTypedReference } from './validate-typed-reference.ts';

const RULES = { namespaced: false, name: nameIsDnsSubdomain };
const LONGEST = 250;

/** `networking.k8s.io/v1 IngressClass`. */
export const ingressClass: Strategy = {
  default: (object) =>
    changeObject(
      object,
      inField(
        'spec',
        inField('parameters', (parameters) => orDefaultPointer(parameters, 'scope', 'Cluster')),
      ),
    ),
  prepareForCreate: (object) => withGeneration(object, 1),
  prepareForUpdate: (object, old) =>
    changed(object, old, 'spec') ? withGeneration(object, generationOf(old) + 1) : object,
  validateCreate: validate,
  validateUpdate: (object, old) => [
    ...validateObjectMetaUpdate(object, old),
    ...immutable(
      valueAt(specOf(object), 'controller'),
      valueAt(specOf(old), 'controller'),
      'spec.controller',
    ),
    ...validate(object),
  ],
};

function validate(object: KubeObject): Errors {
  const spec = specOf(object);
  return [
    ...validateObjectMeta(object, RULES),
    ...validateController(stringAt(spec, 'controller')),
    ...inside(maybeObject(spec, 'parameters'), validateParameters),
  ];
}

/** `IsDomainPrefixedPath`: `example.com/ingress`. */
function validateController(controller: string): Errors {
  const path = 'spec.controller';
  const long = controller.length > LONGEST ? [fieldErrors.tooLong(path, LONGEST)] : NONE;
  if (controller === '') return [...long, ...required(false, path)];
  const slash = controller.indexOf('/');
  const [domain, rest] = [controller.slice(0, slash), controller.slice(slash + 1)];
  if (slash < 1 || rest === '') {
    return [
      ...long,
      ...invalidFor(path, controller, ['must be a domain-prefixed path (such as "acme.io/foo")']),
    ];
  }
  return [...long, ...invalidFor(path, domain, isDns1123Subdomain(domain))];
}

function validateParameters(parameters: JsonObject): Errors {
  const path = 'spec.parameters';
  return [
    ...validateTypedReference(parameters, path),
    ...oneOf(stringAt(parameters, 'scope'), `${path}.scope`, ['Cluster', 'Namespace']),
    ...validateNamespace(
      stringAt(parameters, 'scope'),
      maybeString(parameters, 'namespace'),
      `${path}.namespace`,
    ),
  ];
}

function validateNamespace(scope: string, namespace: string | undefined, path: string): Errors {
  if (scope === 'Cluster') {
    return forbidden(namespace !== undefined, path, "`parameters.scope` is set to 'Cluster'");
  }
  if (scope !== 'Namespace') return NONE;
  return namespace === undefined
    ? required(false, path, "`parameters.scope` is set to 'Namespace'")
    : dnsLabel(namespace, path);
}
