import type { JsonObject } from '@kubewright/kube';
import { type Errors, invalid, NONE, required } from '../validation/errors.ts';
import { localNonReservedPath } from '../validation/formats.ts';
import { maybeNumber, maybeObject, stringAt } from '../objects/read.ts';
import { validateFieldRef, validateResourceFieldRef } from './validate-env.ts';

/** File permissions: nine bits. */
export function validateMode(object: JsonObject, key: string, path: string): Errors {
  const mode = maybeNumber(object, key);
  if (mode === undefined) return NONE;
  const detail = 'must be a number between 0 and 0777 (octal), both inclusive';
  return invalid(mode > 0o777 || mode < 0, `${path}.${key}`, mode, detail);
}

/** `KeyToPath`: a key of a secret or config map as a file. */
export function validateKeyToPath(item: JsonObject, path: string): Errors {
  const target = stringAt(item, 'path');
  return [
    ...required(stringAt(item, 'key') !== '', `${path}.key`),
    ...required(target !== '', `${path}.path`),
    ...localNonReservedPath(target, `${path}.path`),
    ...validateMode(item, 'mode', path),
  ];
}

const VOLUME_FIELDS = [
  'metadata.annotations',
  'metadata.labels',
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
];

/** `DownwardAPIVolumeFile`: a field of the pod, or a container's resource, as a file. */
export function validateDownwardFile(file: JsonObject, path: string): Errors {
  const target = stringAt(file, 'path');
  return [
    ...required(target !== '', `${path}.path`),
    ...localNonReservedPath(target, `${path}.path`),
    ...validateDownwardSource(file, path),
    ...validateMode(file, 'mode', path),
  ];
}

function validateDownwardSource(file: JsonObject, path: string): Errors {
  const [field, resource] = [maybeObject(file, 'fieldRef'), maybeObject(file, 'resourceFieldRef')];
  if (field !== undefined) {
    const both = 'fieldRef and resourceFieldRef can not be specified simultaneously';
    return [
      ...validateFieldRef(field, VOLUME_FIELDS, `${path}.fieldRef`),
      ...invalid(resource !== undefined, path, 'resource', both),
    ];
  }
  if (resource !== undefined) return validateResourceFieldRef(resource, `${path}.resourceFieldRef`, true);
  return required(false, path, 'one of fieldRef and resourceFieldRef is required');
}
