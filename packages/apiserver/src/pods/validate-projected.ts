import type { JsonObject } from '@kubewright/kube';
import { type FieldError, fieldErrors } from '@kubewright/kube/validation';
import { type Errors, forbidden, inside, invalid, NONE, required } from '../validation/errors.ts';
import { localNonReservedPath } from '../validation/formats.ts';
import { has, maybeNumber, maybeObject, objectsAt, stringAt } from '../objects/read.ts';
import { validateDownwardFile, validateKeyToPath, validateMode } from './validate-key-to-path.ts';

const SOURCES = [
  'secret',
  'configMap',
  'downwardAPI',
  'serviceAccountToken',
  'clusterTrustBundle',
  'podCertificate',
];

/** `volumes[].projected`: several sources in one directory, no path twice. */
export function validateProjected(volume: JsonObject, path: string): Errors {
  const paths = new Set<string>();
  return [
    ...validateMode(volume, 'defaultMode', path),
    ...objectsAt(volume, 'sources').flatMap((source, index) => {
      const at = `${path}.sources[${index}]`;
      const several = SOURCES.filter((key) => has(source, key)).length > 1;
      return [
        ...validateSource(source, at, path, paths),
        ...forbidden(several, at, 'may not specify more than 1 volume type per source'),
      ];
    }),
  ];
}

function validateSource(source: JsonObject, at: string, path: string, paths: Set<string>): Errors {
  return [
    ...inside(maybeObject(source, 'secret'), (value) => validateKeys(value, `${at}.secret`, path, paths)),
    ...inside(maybeObject(source, 'configMap'), (value) =>
      validateKeys(value, `${at}.configMap`, path, paths),
    ),
    ...inside(maybeObject(source, 'downwardAPI'), (value) =>
      objectsAt(value, 'items').flatMap((file) => [
        ...validateDownwardFile(file, `${at}.downwardAPI`),
        ...takePath(stringAt(file, 'path'), stringAt(file, 'path'), path, paths),
      ]),
    ),
    ...inside(maybeObject(source, 'serviceAccountToken'), (value) =>
      validateToken(value, `${at}.serviceAccountToken`, path),
    ),
  ];
}

/** A secret's or config map's keys. A clash is reported with the source's name, at the volume. */
function validateKeys(source: JsonObject, at: string, path: string, paths: Set<string>): Errors {
  const name = stringAt(source, 'name');
  const errors: FieldError[] = [...required(name !== '', `${at}.name`)];
  for (const [index, item] of objectsAt(source, 'items').entries()) {
    errors.push(
      ...validateKeyToPath(item, `${at}.items[${index}]`),
      ...takePath(stringAt(item, 'path'), name, path, paths),
    );
  }
  return errors;
}

function takePath(target: string, shown: string, path: string, paths: Set<string>): Errors {
  if (target === '') return NONE;
  if (paths.has(target)) return [fieldErrors.invalid(path, shown, 'conflicting duplicate paths')];
  paths.add(target);
  return NONE;
}

function validateToken(token: JsonObject, at: string, path: string): Errors {
  const seconds = maybeNumber(token, 'expirationSeconds') ?? 0;
  const target = stringAt(token, 'path');
  return [
    ...invalid(
      seconds < 600,
      `${at}.expirationSeconds`,
      seconds,
      'may not specify a duration less than 10 minutes',
    ),
    ...invalid(
      seconds > 2 ** 32,
      `${at}.expirationSeconds`,
      seconds,
      'may not specify a duration larger than 2^32 seconds',
    ),
    ...(target === '' ? required(false, `${path}.path`) : localNonReservedPath(target, `${path}.path`)),
  ];
}
