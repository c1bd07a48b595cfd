import type { JsonObject } from '@kubewright/kube';
import { fieldErrors } from '@kubewright/kube/validation';
import {
  dnsLabel,
  type Errors,
  each,
  invalid,
  invalidFor,
  NONE,
  nameIsDnsSubdomain,
  required,
} from '../validation/errors.ts';
import { maybeString, objectsAt, stringAt } from '../objects/read.ts';
import { showing } from '../validation/shown-as.ts';

/** `spec.resourceClaims`: each a claim or a template for one. */
export function validateResourceClaims(spec: JsonObject, path: string): Errors {
  const names = new Set<string>();
  return each(objectsAt(spec, 'resourceClaims'), `${path}.resourceClaims`, (claim, at) => [
    ...validateName(stringAt(claim, 'name'), names, `${at}.name`),
    ...validateSource(claim, at),
  ]);
}

function validateName(name: string, names: Set<string>, path: string): Errors {
  if (name === '') return required(false, path);
  if (names.has(name)) return [fieldErrors.duplicate(path, name)];
  names.add(name);
  return dnsLabel(name, path);
}

function validateSource(claim: JsonObject, path: string): Errors {
  const own = maybeString(claim, 'resourceClaimName');
  const template = maybeString(claim, 'resourceClaimTemplateName');
  return [
    ...showing('core.PodResourceClaim', [
      ...invalid(
        own !== undefined && template !== undefined,
        path,
        claim,
        'at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified',
      ),
      ...invalid(
        own === undefined && template === undefined,
        path,
        claim,
        'must specify one of: `resourceClaimName`, `resourceClaimTemplateName`',
      ),
    ]),
    ...validateReference(own, `${path}.resourceClaimName`),
    ...validateReference(template, `${path}.resourceClaimTemplateName`),
  ];
}

function validateReference(name: string | undefined, path: string): Errors {
  return name === undefined ? NONE : invalidFor(path, name, nameIsDnsSubdomain(name, false));
}
