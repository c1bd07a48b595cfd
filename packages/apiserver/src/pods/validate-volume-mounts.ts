import type { JsonObject } from '@kubewright/kube';
import { type FieldError, fieldErrors } from '@kubewright/kube/validation';
import {
  type Errors,
  each,
  forbidden,
  inside,
  invalid,
  NONE,
  oneOf,
  required,
} from '../validation/errors.ts';
import { localDescendingPath, noBacksteps } from '../validation/formats.ts';
import { has, isTrue, maybeObject, maybeString, objectAt, objectsAt, stringAt } from '../objects/read.ts';

/** The valid volumes of a pod by name. */
export type Volumes = ReadonlyMap<string, JsonObject>;

/** `containers[].volumeMounts`. Some errors have the path of the list, not of the item, as upstream. */
export function validateVolumeMounts(container: JsonObject, volumes: Volumes, path: string): Errors {
  const list = `${path}.volumeMounts`;
  const devices = pathsByName(container, 'volumeDevices', 'devicePath');
  const seen = new Set<string>();
  return each(objectsAt(container, 'volumeMounts'), list, (mount, at) => {
    const [name, target] = [stringAt(mount, 'name'), stringAt(mount, 'mountPath')];
    const again = seen.has(target);
    seen.add(target);
    return [
      ...required(name !== '', `${at}.name`),
      ...known(volumes.has(name), `${at}.name`, name),
      ...required(target !== '', `${at}.mountPath`),
      ...invalid(again, `${at}.mountPath`, target, 'must be unique'),
      ...invalid(devices.has(name), `${at}.name`, name, 'must not already exist in volumeDevices'),
      ...invalid(
        [...devices.values()].includes(target),
        `${at}.mountPath`,
        target,
        'must not already exist as a path in volumeDevices',
      ),
      ...validateSubPaths(mount, at, list),
      ...validatePropagation(mount, container, `${list}.mountPropagation`),
      ...validateRecursiveReadOnly(mount, `${list}.recursiveReadOnly`),
    ];
  });
}

function known(found: boolean, path: string, name: string): Errors {
  return found ? NONE : [fieldErrors.notFound(path, name)];
}

function pathsByName(container: JsonObject, list: string, key: string): ReadonlyMap<string, string> {
  return new Map(objectsAt(container, list).map((item) => [stringAt(item, 'name'), stringAt(item, key)]));
}

function validateSubPaths(mount: JsonObject, at: string, list: string): Errors {
  const [subPath, expression] = [stringAt(mount, 'subPath'), stringAt(mount, 'subPathExpr')];
  const both = subPath !== '' && expression !== '';
  return [
    ...(subPath === '' ? NONE : localDescendingPath(subPath, `${list}.subPath`)),
    ...invalid(both, `${at}.subPathExpr`, expression, 'subPathExpr and subPath are mutually exclusive'),
    ...(expression === '' ? NONE : localDescendingPath(expression, `${list}.subPathExpr`)),
  ];
}

function validatePropagation(mount: JsonObject, container: JsonObject, path: string): Errors {
  const propagation = maybeString(mount, 'mountPropagation');
  if (propagation === undefined) return NONE;
  const privileged = isTrue(objectAt(container, 'securityContext'), 'privileged');
  return [
    ...oneOf(propagation, path, ['Bidirectional', 'HostToContainer', 'None']),
    ...forbidden(
      propagation === 'Bidirectional' && !privileged,
      path,
      'Bidirectional mount propagation is available only to privileged containers',
    ),
  ];
}

function validateRecursiveReadOnly(mount: JsonObject, path: string): Errors {
  const mode = maybeString(mount, 'recursiveReadOnly');
  if (mode === undefined || mode === 'Disabled') return NONE;
  if (mode !== 'Enabled' && mode !== 'IfPossible')
    return oneOf(mode, path, ['Disabled', 'Enabled', 'IfPossible']);
  const propagation = maybeString(mount, 'mountPropagation') ?? 'None';
  return [
    ...forbidden(!isTrue(mount, 'readOnly'), path, 'may only be specified when readOnly is true'),
    ...forbidden(
      propagation !== 'None',
      path,
      'may only be specified when mountPropagation is None or not specified',
    ),
  ];
}

/** `containers[].volumeDevices`: raw block devices, of claims only. */
export function validateVolumeDevices(container: JsonObject, volumes: Volumes, path: string): Errors {
  const mounts = pathsByName(container, 'volumeMounts', 'mountPath');
  const paths = new Set<string>();
  const names = new Set<string>();
  return each(objectsAt(container, 'volumeDevices'), `${path}.volumeDevices`, (device, at) => {
    const [name, target] = [stringAt(device, 'name'), stringAt(device, 'devicePath')];
    const stepsBack = target !== '' && noBacksteps(target, '').length > 0;
    const errors: FieldError[] = [
      ...required(name !== '', `${at}.name`),
      ...invalid(names.has(name), `${at}.name`, name, 'must be unique'),
      ...validateDeviceVolume(volumes.get(name), name, `${at}.name`),
      ...required(target !== '', `${at}.devicePath`),
      ...invalid(paths.has(target), `${at}.devicePath`, target, 'must be unique'),
      ...invalid(stepsBack, `${at}.devicePath`, target, "can not contain backsteps ('..')"),
      ...invalid(mounts.has(name), `${at}.name`, name, 'must not already exist in volumeMounts'),
      ...invalid(
        [...mounts.values()].includes(target),
        `${at}.devicePath`,
        target,
        'must not already exist as a path in volumeMounts',
      ),
    ];
    if (!stepsBack) paths.add(target);
    if (name !== '') names.add(name);
    return errors;
  });
}

function validateDeviceVolume(volume: JsonObject | undefined, name: string, path: string): Errors {
  if (volume === undefined) return known(false, path, name);
  const block = has(volume, 'persistentVolumeClaim') || has(volume, 'ephemeral');
  return invalid(
    !block,
    path,
    name,
    'can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode',
  );
}

/** Variables read from a file need that file on an emptyDir of the pod. */
export function validateFileKeyVolumes(spec: JsonObject, container: JsonObject, path: string): Errors {
  const volumes = new Map(objectsAt(spec, 'volumes').map((volume) => [stringAt(volume, 'name'), volume]));
  return each(objectsAt(container, 'env'), `${path}.env`, (variable, at) =>
    inside(maybeObject(objectAt(variable, 'valueFrom'), 'fileKeyRef'), (reference) => {
      const name = stringAt(reference, 'volumeName');
      const target = `${at}.valueFrom.fileKeyRef.volumeName`;
      const volume = volumes.get(name);
      if (volume === undefined) return known(false, target, name);
      return invalid(!has(volume, 'emptyDir'), target, name, 'referenced volume must be of type emptyDir');
    }),
  );
}
