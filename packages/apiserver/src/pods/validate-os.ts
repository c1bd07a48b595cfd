import type { JsonObject } from '@kubewright/kube';
import { type Errors, forbidden, inside, NONE, oneOf, required } from '../validation/errors.ts';
import { has, isTrue, maybeObject, objectAt, objectsAt, stringAt } from '../objects/read.ts';
import { visitContainers } from './visit-containers.ts';

/** `spec.os`, and what cannot be set for it. */
export function validateOs(spec: JsonObject, path: string): Errors {
  return inside(maybeObject(spec, 'os'), (os) => {
    const name = stringAt(os, 'name');
    if (name === '') return required(false, `${path}.os.name`);
    if (name === 'linux') return validateLinux(spec, path);
    if (name === 'windows') return validateWindows(spec, path);
    return oneOf(name, `${path}.os`, ['linux', 'windows']);
  });
}

function validateLinux(spec: JsonObject, path: string): Errors {
  const rejectFields = (owner: JsonObject, at: string): Errors =>
    forbidden(
      has(objectAt(owner, 'securityContext'), 'windowsOptions'),
      `${at}.securityContext.windowsOptions`,
      'windows options cannot be set for a linux pod',
    );
  return [...rejectFields(spec, path), ...visitContainers(spec, path, rejectFields)];
}

const NOT_FOR_WINDOWS = 'cannot be set for a windows pod';

function validateWindows(spec: JsonObject, path: string): Errors {
  const context = objectAt(spec, 'securityContext');
  const inContext = (...keys: readonly string[]): Errors =>
    keys.flatMap((key) => forbidden(has(context, key), `${path}.securityContext.${key}`, NOT_FOR_WINDOWS));
  const inSpec = (key: string, set: boolean): Errors => forbidden(set, `${path}.${key}`, NOT_FOR_WINDOWS);
  return [
    ...inContext('appArmorProfile', 'seLinuxOptions'),
    ...inSpec('hostUsers', has(spec, 'hostUsers')),
    ...inSpec('hostPID', isTrue(spec, 'hostPID')),
    ...inSpec('hostIPC', isTrue(spec, 'hostIPC')),
    ...inContext('seccompProfile', 'fsGroup', 'fsGroupChangePolicy'),
    ...(objectsAt(context, 'sysctls').length > 0 ? inContext('sysctls') : NONE),
    ...inSpec('shareProcessNamespace', has(spec, 'shareProcessNamespace')),
    ...inContext(
      'runAsUser',
      'runAsGroup',
      'supplementalGroups',
      'supplementalGroupsPolicy',
      'seLinuxChangePolicy',
    ),
    ...visitContainers(spec, path, validateWindowsContainer),
  ];
}

const LINUX_ONLY = [
  'appArmorProfile',
  'seLinuxOptions',
  'seccompProfile',
  'capabilities',
  'readOnlyRootFilesystem',
  'privileged',
  'allowPrivilegeEscalation',
  'procMount',
  'runAsUser',
  'runAsGroup',
];

function validateWindowsContainer(container: JsonObject, path: string): Errors {
  const context = objectAt(container, 'securityContext');
  return LINUX_ONLY.flatMap((key) =>
    forbidden(has(context, key), `${path}.securityContext.${key}`, NOT_FOR_WINDOWS),
  );
}
