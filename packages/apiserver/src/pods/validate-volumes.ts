import type { JsonObject } from '@kubewright/kube';
import { type FieldError, fieldErrors } from '@kubewright/kube/validation';
import { dnsLabel, type Errors, forbidden, invalid, NONE, required } from '../validation/errors.ts';
import { isNegative } from '../validation/quantities.ts';
import { has, maybeObject, maybeString, objectAt, objectsAt, stringAt } from '../objects/read.ts';
import type { Volumes } from './validate-volume-mounts.ts';
import { VOLUME_SOURCES } from './volume-sources.ts';
import type { SourceCheck } from './source-check.ts';

/** The valid volumes by name, which mounts may refer to, and what is wrong with the others. */
export function validateVolumes(
  spec: JsonObject,
  path: string,
  options: { readonly isPod: boolean; readonly podName: string },
): { readonly volumes: Volumes; readonly errors: Errors } {
  const volumes = new Map<string, JsonObject>();
  const errors: FieldError[] = [];
  const created = claimsCreated(spec, options.podName);
  for (const [index, volume] of objectsAt(spec, 'volumes').entries()) {
    const at = `${path}[${index}]`;
    const name = stringAt(volume, 'name');
    const own = [
      ...validateSource(volume, at, options.isPod),
      ...(name === '' ? required(false, `${at}.name`) : dnsLabel(name, `${at}.name`)),
      ...(volumes.has(name) ? [fieldErrors.duplicate(`${at}.name`, name)] : NONE),
    ];
    if (own.length === 0) volumes.set(name, volume);
    else errors.push(...own);
    errors.push(...validateClaimIsNotCreated(volume, created, at));
  }
  return { volumes, errors };
}

function claimsCreated(spec: JsonObject, podName: string): ReadonlySet<string> {
  if (podName === '') return new Set();
  const ephemeral = objectsAt(spec, 'volumes').filter((volume) => has(volume, 'ephemeral'));
  return new Set(ephemeral.map((volume) => `${podName}-${stringAt(volume, 'name')}`));
}

function validateClaimIsNotCreated(volume: JsonObject, created: ReadonlySet<string>, path: string): Errors {
  const claim = stringAt(objectAt(volume, 'persistentVolumeClaim'), 'claimName');
  return invalid(
    has(volume, 'persistentVolumeClaim') && created.has(claim),
    `${path}.persistentVolumeClaim.claimName`,
    claim,
    'must not reference a PVC that gets created for an ephemeral volume',
  );
}

/** The first source in the server's order is validated, further ones are forbidden. */
function validateSource(volume: JsonObject, path: string, isPod: boolean): Errors {
  const errors: FieldError[] = [...validateEmptyDir(volume, path)];
  let found = has(volume, 'emptyDir');
  for (const source of VOLUME_SOURCES) {
    const value = maybeObject(volume, source.key);
    if (value === undefined) continue;
    if (found)
      errors.push(...forbidden(true, forbiddenAt(source, path), 'may not specify more than 1 volume type'));
    else errors.push(...source.check(value, `${path}.${source.path ?? source.key}`, isPod));
    found = true;
  }
  errors.push(...required(found, path, 'must specify a volume type'));
  return errors;
}

function forbiddenAt(source: SourceCheck, path: string): string {
  return `${path}.${source.forbiddenAs ?? source.key}`;
}

function validateEmptyDir(volume: JsonObject, path: string): Errors {
  const limit = maybeString(objectAt(volume, 'emptyDir'), 'sizeLimit');
  return forbidden(
    limit !== undefined && isNegative(limit),
    `${path}.emptyDir.sizeLimit`,
    'SizeLimit field must be a valid resource quantity',
  );
}
