import { fieldErrors, isDns1123Subdomain } from '@kubewright/kube/validation';
import { type Errors, invalidFor, NONE, required } from '../../validation/errors.ts';

const LONGEST = 63;

/** `ValidateCSIDriverName`: the name by which everything speaks of a driver. */
export function csiDriverName(name: string, path: string): Errors {
  if (name === '') return required(false, path);
  return [
    ...(name.length > LONGEST ? [fieldErrors.tooLong(path, LONGEST)] : NONE),
    ...invalidFor(path, name, isDns1123Subdomain(name.toLowerCase())),
  ];
}
