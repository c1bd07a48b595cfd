import type { JsonObject } from '@kubewright/kube';
import { isDns1123Subdomain, isPathSegmentName } from '@kubewright/kube/validation';
import { type Errors, invalidFor, NONE, required } from '../../validation/errors.ts';
import { maybeString, stringAt } from '../../objects/read.ts';

/** A reference to an object of any kind: `apiGroup`, `kind` and `name`. */
export function validateTypedReference(reference: JsonObject, path: string): Errors {
  const group = maybeString(reference, 'apiGroup');
  const named = (key: string): Errors => {
    const value = stringAt(reference, key);
    const at = `${path}.${key}`;
    return value === '' ? required(false, at) : invalidFor(at, value, isPathSegmentName(value));
  };
  return [
    ...(group === undefined ? NONE : invalidFor(`${path}.apiGroup`, group, isDns1123Subdomain(group))),
    ...named('kind'),
    ...named('name'),
  ];
}
